/** Counts topics and partition logs, so that the server can limit them. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { TopicEvent } from './topic.events.js';

/**
 * The limits for all topics together; topics that a data folder already has stay even if they
 * exceed these.
 */
export interface TopicLimits {
  readonly topicsMax: number;
  readonly partitionsMax: number;
}

/** Part of memory; the decider of topics refuses what would exceed the limits. */
export class PartitionCount implements Fold<TopicEvent> {
  private readonly ofTopics = new Map<string, number>();
  readonly memory: FoldMemory = { name: 'partition count', maps: { ofTopics: this.ofTopics } };

  constructor(readonly limits: TopicLimits) {}

  /** Number of topics whose logs still exist. */
  get topics(): number {
    return this.ofTopics.size;
  }

  /** Number of partitions of these topics. */
  get sum(): number {
    let sum = 0;
    for (const partitions of this.ofTopics.values()) sum += partitions;
    return sum;
  }

  evolve({ id, event }: EventEnvelope<TopicEvent>, changes: TurnChanges): void {
    if (event.type === 'TopicCreated' || event.type === 'TopicAltered') {
      this.count(id, event.partitions, changes);
    } else if (event.type === 'TopicRemoved') {
      this.count(id, 0, changes);
    }
  }

  private count(topic: string, partitions: number, changes: TurnChanges): void {
    if (partitions > 0) changes.set(this.ofTopics, topic, partitions);
    else changes.delete(this.ofTopics, topic);
  }
}
