/** How many partition logs all topics have together: what keeps a server from having too many. */
import type { DomainEvent, EventEnvelope } from '../engine/decider.js';
import type { Fold } from '../engine/registration.js';
import type { TurnChanges } from '../engine/turn-changes.js';
import type { TopicEvent } from './topic.events.js';

const all = 'all';

export class PartitionCount implements Fold {
  private readonly ofTopics = new Map<string, number>();
  private readonly sums = new Map<typeof all, number>();

  /** Partitions of every topic whose logs are not gone. */
  get sum(): number {
    return this.sums.get(all) ?? 0;
  }

  evolve({ id, event }: EventEnvelope<DomainEvent>, changes: TurnChanges): void {
    const happened = event as TopicEvent;
    if (happened.type === 'TopicCreated' || happened.type === 'TopicAltered') {
      this.count(id, happened.partitions, changes);
    } else if (happened.type === 'TopicRemoved') {
      this.count(id, 0, changes);
    }
  }

  private count(topic: string, partitions: number, changes: TurnChanges): void {
    changes.set(this.sums, all, this.sum - (this.ofTopics.get(topic) ?? 0) + partitions);
    if (partitions > 0) changes.set(this.ofTopics, topic, partitions);
    else changes.delete(this.ofTopics, topic);
  }
}
