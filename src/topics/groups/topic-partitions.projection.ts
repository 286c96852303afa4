/** How many partitions each topic has, and since when: a fold of the events of topics. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { TopicEvent } from '../topics/topic.events.js';

/** Partitions below `count` were there from this place of the journal on. */
interface Growth {
  readonly offset: number;
  readonly count: number;
}

/**
 * Part of memory. Birth decides where a group begins in a partition: one that is younger than its
 * subscription is read from the beginning.
 */
export class TopicPartitions implements Fold<TopicEvent> {
  private readonly growths = new Map<string, readonly Growth[]>();
  readonly memory: FoldMemory = {
    name: 'topic partitions',
    maps: { growths: this.growths },
  };

  /** 0 = there is no such topic. */
  partitionsOf(topic: string): number {
    return this.growths.get(topic)?.at(-1)?.count ?? 0;
  }

  /** Of all topics together. */
  get partitions(): number {
    let sum = 0;
    for (const topic of this.growths.keys()) sum += this.partitionsOf(topic);
    return sum;
  }

  /** Where the journal has the birth of a partition; Infinity = it is not born yet. */
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
