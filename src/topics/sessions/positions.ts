/**
 * The positions of one consumer instance in the partitions that it owns. Pure bookkeeping: no
 * clock, no disk, no waiting.
 *
 *     stored        acknowledged   marked   written     position
 *       |                |           |         |            |
 *   ----[  to be stored )[  handed out       ) [ on its way )----
 *
 * Records that are handed out become `written` once their answer was written completely; otherwise
 * they are taken back. They are acknowledged by the next call, or when the interval has passed
 * since then (see `tick`). For a client that names the answers it received, records become
 * `written` once the client has named their answer. Every call begins by acknowledging, so a lost
 * answer takes back only the records in that answer.
 */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { TopicPartition, TopicPosition } from '../records/topic-partition.js';

/** A partition while an instance owns it; a new object each time the partition is acquired. */
export class OwnedPartition implements TopicPartition {
  /** The log that is read; null until the first read. */
  log: PartitionLog | null = null;
  /** The next offset to hand out; -1 = the start position is not known yet. */
  position = -1;
  written = -1;
  marked = -1;
  acknowledged = -1;
  /** The committed offset, as far as this instance knows. */
  stored = -1;

  constructor(
    readonly topic: string,
    readonly partition: number,
  ) {}

  /** Starts reading at `offset`, which is already stored. */
  begin(offset: number): void {
    this.resume(offset);
    this.stored = offset;
  }

  /** Continues reading at `offset`; the reader has everything before it. */
  resume(offset: number): void {
    this.position = offset;
    this.written = offset;
    this.marked = offset;
    this.acknowledged = offset;
  }
}

/** The positions of one session. Holds no records: the positions alone say what was handed out. */
export class Positions {
  private owned: readonly OwnedPartition[] = [];
  /** The owned partitions by topic and partition. */
  private places: ReadonlyMap<string, OwnedPartition> = new Map();
  private turn = 0;

  /** All owned partitions, including those not read yet. */
  get all(): readonly OwnedPartition[] {
    return this.owned;
  }

  find(place: TopicPartition): OwnedPartition | undefined {
    return this.places.get(nameOf(place));
  }

  /** Whether the partition is still owned by this same acquisition. */
  owns(partition: OwnedPartition): boolean {
    return this.find(partition) === partition;
  }

  /** Sets the owned partitions; returns those that were lost. */
  own(partitions: readonly TopicPartition[]): readonly OwnedPartition[] {
    const before = this.owned;
    this.owned = partitions.map(
      (place) => this.find(place) ?? new OwnedPartition(place.topic, place.partition),
    );
    this.places = new Map(this.owned.map((own) => [nameOf(own), own]));
    return before.filter((own) => !this.owns(own));
  }

  /**
   * The owned partitions, starting with another one each time, so that no partition starves the
   * others.
   */
  rotated(): readonly OwnedPartition[] {
    const first = this.owned.length === 0 ? 0 : this.turn % this.owned.length;
    this.turn += 1;
    return [...this.owned.slice(first), ...this.owned.slice(0, first)];
  }

  /**
   * Notes that everything handed out was written completely. Partitions without a known start have
   * handed out nothing.
   */
  write(): void {
    for (const own of this.owned) if (own.position >= 0) own.written = own.position;
  }

  /**
   * Takes back what was handed out and not acknowledged: an answer was lost, and how much of it the
   * client received is unknown.
   */
  rewind(): void {
    for (const own of this.owned) own.resume(own.acknowledged);
  }

  /** Acknowledges everything written: the reader asks for more, so it has all of it. */
  acknowledge(): void {
    for (const own of this.owned) {
      own.marked = own.written;
      own.acknowledged = own.written;
    }
  }

  /** Ends an interval: acknowledges what had been written when the interval began. */
  tick(): void {
    for (const own of this.owned) {
      own.acknowledged = own.marked;
      own.marked = own.written;
    }
  }

  /** Begins an interval: everything written by now is acknowledged at its end. */
  mark(): void {
    for (const own of this.owned) own.marked = own.written;
  }

  /**
   * The reader has committed `offset` itself. This overrides earlier acknowledgements, but nothing
   * beyond what the reader was given counts as acknowledged.
   */
  storedByReader({ topic, partition, offset }: TopicPosition): void {
    const own = this.find({ topic, partition });
    if (own === undefined) return;
    own.acknowledged = Math.max(own.acknowledged, Math.min(offset, own.written));
    own.marked = Math.max(own.marked, own.acknowledged);
    own.stored = own.acknowledged;
  }

  /**
   * Continues reading elsewhere. A partition that is not being read yet will start at its stored
   * offset.
   */
  seek({ topic, partition, offset }: TopicPosition): void {
    const own = this.find({ topic, partition });
    if (own !== undefined && own.position >= 0) own.begin(offset);
  }

  /** Whether anything written is not stored yet. */
  get isOutstanding(): boolean {
    return this.owned.some(({ written, stored }) => written !== stored);
  }
}

/** A unique name of a partition: its number is after the last slash. */
function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Returns the acknowledged positions that are not stored yet, and marks them as stored. */
export function takeAcknowledged(partitions: readonly OwnedPartition[]): TopicPosition[] {
  const taken: TopicPosition[] = [];
  for (const own of partitions) {
    if (own.acknowledged === own.stored) continue;
    own.stored = own.acknowledged;
    taken.push({ topic: own.topic, partition: own.partition, offset: own.acknowledged });
  }
  return taken;
}
