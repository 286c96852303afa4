/**
 * Reassigns partitions of groups when topics that they subscribe to are created, grow or are
 * deleted.
 */
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
 * Reassigning a group whose assignment is already right changes nothing, so repeating it is
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

  /** Observes the events of topics. */
  readonly listener: EventListener<TopicEvent> = (envelopes) => {
    const topics = new Set<string>();
    for (const { id, event } of envelopes) if (changesPartitions(event)) topics.add(id);
    if (topics.size === 0) return;
    void this.reassign((group) => {
      const members = this.views.find(group)?.members ?? [];
      return [...members].some((member) => member.topics.some((topic) => topics.has(topic)));
    });
  };

  /**
   * Reassigns all groups after a restart: a topic may have changed just before the process ended.
   */
  async recover(): Promise<void> {
    await this.reassign(() => true);
  }

  /**
   * Resolves when no group owns partitions of a deleted topic any more, and sessions have seen
   * that. With many groups this takes a while; until then, the groups would not recognize a new
   * topic of the same name as new.
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

  /** Reassigns the groups that `concerns` selects, and returns their names. */
  private async reassign(concerns: (group: string) => boolean): Promise<readonly string[]> {
    const at = this.clock.now();
    const groups = [...this.views.names()].filter(concerns);
    const commands = groups.map((id): ReassignGroup => {
      return { type: 'ReassignGroup', kind: consumerGroupKind, id, at };
    });
    for (const slice of slicesOf(commands)) {
      // The engine has already reported the defect; the other groups must not suffer from it.
      await this.engine.dispatch(slice).catch(() => undefined);
    }
    return groups;
  }
}

function changesPartitions({ type }: TopicEvent): boolean {
  return type === 'TopicCreated' || type === 'TopicAltered' || type === 'TopicDeleted';
}
