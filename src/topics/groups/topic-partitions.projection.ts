/**
 * How many partitions each topic has, and since when they exist: a fold of the events of topics.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { TopicEvent } from '../topics/topic.events.js';

/** The partitions below `count` exist from this journal offset on. */
interface Growth {
  readonly offset: number;
  readonly count: number;
}

/**
 * Part of memory. The creation of a partition decides where a group starts in it: a partition
 * younger than the group's subscription is read from the beginning.
 */
export class TopicPartitions implements Fold<TopicEvent> {
  private readonly growths = new Map<string, readonly Growth[]>();
  readonly memory: FoldMemory = {
    name: 'topic partitions',
    maps: { growths: this.growths },
  };

  /** Number of partitions of a topic; 0 = there is no such topic. */
  partitionsOf(topic: string): number {
    return this.growths.get(topic)?.at(-1)?.count ?? 0;
  }

  /** Partitions of all topics. */
  get partitions(): number {
    let sum = 0;
    for (const topic of this.growths.keys()) sum += this.partitionsOf(topic);
    return sum;
  }

  /** Journal offset of the creation of a partition; Infinity = it does not exist yet. */
  bornAt(topic: string, partition: number): number {
    const growth = this.growths.get(topic)?.find(({ count }) => partition < count);
    return growth?.offset ?? Number.POSITIVE_INFINITY;
  }

  evolve({ id, offset, event }: EventEnvelope<TopicEvent>, changes: TurnChanges): void {
    switch (event.type) {
      case 'TopicCreated':
        changes.set(this.growths, id, [{ offset, count: event.partitions }]);
        return;
      case 'TopicAltered': {
        const growths = this.growths.get(id) ?? [];
        if (event.partitions === this.partitionsOf(id)) return;
        changes.set(this.growths, id, [...growths, { offset, count: event.partitions }]);
        return;
      }
      case 'TopicDeleted':
        changes.delete(this.growths, id);
        return;
      default:
        return;
    }
  }
}
