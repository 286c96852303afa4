/** Counts groups and instances, so that the server can limit them. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { GroupView } from './consumer-group.decider.js';
import type { ConsumerGroupEvent } from './consumer-group.events.js';
import type { TopicPartitions } from './topic-partitions.projection.js';

/**
 * The limits; groups and instances that a data folder already has stay even if they exceed these.
 */
export interface GroupLimits {
  readonly groupsMax: number;
  /** Instances of all groups together. */
  readonly consumersMax: number;
}

/** What the decisions of groups read besides the group's state. */
export class GroupCount implements Fold<ConsumerGroupEvent>, GroupView {
  private readonly ofGroups = new Map<string, number>();
  readonly memory: FoldMemory = { name: 'group count', maps: { ofGroups: this.ofGroups } };

  constructor(
    private readonly topics: TopicPartitions,
    readonly limits: GroupLimits,
  ) {}

  partitionsOf(topic: string): number {
    return this.topics.partitionsOf(topic);
  }

  get partitions(): number {
    return this.topics.partitions;
  }

  get groups(): number {
    return this.ofGroups.size;
  }

  get instances(): number {
    let sum = 0;
    for (const instances of this.ofGroups.values()) sum += instances;
    return sum;
  }

  evolve({ id, event }: EventEnvelope<ConsumerGroupEvent>, changes: TurnChanges): void {
    if (event.type === 'MemberJoined') this.count(id, 1, changes);
    else if (event.type === 'MemberLeft') this.count(id, -1, changes);
    else if (event.type === 'GroupRemoved') changes.delete(this.ofGroups, id);
  }

  private count(group: string, more: number, changes: TurnChanges): void {
    changes.set(this.ofGroups, group, (this.ofGroups.get(group) ?? 0) + more);
  }
}
