/** Closes instances of groups on request, or because they are silent. */
import { Injectable } from '@nestjs/common';
import { dispatchAll } from '../../engine/bulk/slices.js';
import { Engine } from '../../engine/engine.js';
import type { Principal } from '../../engine/principal/principal.js';
import type { Refusal } from '../../grammar/result.js';
import { Consumers } from '../groups/consumer.entity.js';
import { ConsumerGroups } from '../groups/consumer-group.entity.js';
import { GroupViews } from '../groups/group-views.js';
import { CommittedOffsets } from '../offsets/committed-offsets.js';
import type { ConsumerSession } from './consumer-session.js';
import { ConsumerSessions } from './consumer-sessions.js';

/** Separate from `ConsumerSessions`, which does not deal with requests. */
@Injectable()
export class InstanceRemoval {
  constructor(
    private readonly engine: Engine,
    private readonly groups: ConsumerGroups,
    private readonly consumers: Consumers,
    private readonly views: GroupViews,
    private readonly sessions: ConsumerSessions,
    private readonly offsets: CommittedOffsets,
  ) {}

  /**
   * Deletes an instance. Returns why it cannot, or null once the instance is gone and what it was
   * given is committed.
   */
  async remove(session: ConsumerSession, by: Principal | null): Promise<Refusal | null> {
    const { group } = session.place;
    const removed = this.consumers.ask(this.sessions.closing(session, 'deleted'), by);
    const { generation } = this.groups.stateOf(group).context;
    const outcome = await removed;
    if (!outcome.ok) return outcome;
    await this.views.whenAt(group, generation);
    await this.offsets.durable();
    return null;
  }

  /**
   * Closes the silent instances of a group, which may keep others from joining; false = there are
   * none.
   */
  async removeSilent(group: string, by: Principal | null): Promise<boolean> {
    const silent = this.sessions.closingSilent(group);
    await dispatchAll(this.engine, silent, by);
    if (silent.length === 0) return false;
    await this.views.whenAt(group, this.groups.stateOf(group).context.generation);
    return true;
  }
}
