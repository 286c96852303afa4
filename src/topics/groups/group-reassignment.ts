/** Groups follow the topics they subscribe to: those that come, grow and go. */
import { Inject, Injectable } from '@nestjs/common';
import { slicesOf } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/registration.js';
import type { TopicEvent } from '../topics/topic.events.js';
import type { ReassignGroup } from './consumer-group.commands.js';
import { ConsumerGroups } from './consumer-group.entity.js';
import { consumerGroupKind } from './consumer-group.events.js';
import { GroupViews } from './group-views.js';

/**
 * A group that has what it should have refuses nothing and changes nothing: looking again is
 * harmless.
 */
@Injectable()
export class GroupReassignment {
  constructor(
    private readonly engine: Engine,
    private readonly groups: ConsumerGroups,
    private readonly views: GroupViews,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** Observes topics. */
  readonly listener: EventListener<TopicEvent> = (envelopes) => {
    const topics = new Set<string>();
    for (const { id, event } of envelopes) if (changesPartitions(event)) topics.add(id);
    if (topics.size === 0) return;
    void this.reassign((group) => {
      const members = this.views.find(group)?.members ?? [];
      return [...members].some((member) => member.topics.some((topic) => topics.has(topic)));
    });
  };

  /** After a restart: a topic may have changed just before the end. */
  async recover(): Promise<void> {
    await this.reassign(() => true);
  }

  /**
   * Settles when no group has anything of a deleted topic any more, and sessions act on that. Of
   * many groups the last ones have it for a while: a topic that took its name by then would be
   * none that is new to them.
   */
  async release(topic: string): Promise<void> {
    const groups = await this.reassign(
      (group) => this.views.find(group)?.owners.has(topic) === true,
    );
    const released = groups.map((id) => {
      return this.views.whenAt(id, this.groups.stateOf(id).context.generation);
    });
    await Promise.all(released);
  }

  /** Answers those that were looked at. */
  private async reassign(concerns: (group: string) => boolean): Promise<readonly string[]> {
    const at = this.clock.now();
    const groups = [...this.views.names()].filter(concerns);
    const commands = groups.map((id): ReassignGroup => {
      return { type: 'ReassignGroup', kind: consumerGroupKind, id, at };
    });
    for (const slice of slicesOf(commands)) {
      // The engine has reported a defect to its watch; other groups are not to suffer from it.
      await this.engine.dispatch(slice).catch(() => undefined);
    }
    return groups;
  }
}

function changesPartitions({ type }: TopicEvent): boolean {
  return type === 'TopicCreated' || type === 'TopicAltered' || type === 'TopicDeleted';
}
