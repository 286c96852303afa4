/**
 * How far one consumer instance is in the partitions that it owns. Pure bookkeeping: no clock, no
 * disk, no waiting.
 *
 *     stored        acknowledged   marked   written     position
 *       |                |           |         |            |
 *   ----[  to be stored )[  handed out       ) [ on its way )----
 *
 * What is handed out is `written` once its answer was written in full, else it is taken back; it
 * is acknowledged by the next call, or when the interval has passed since (see `tick`). Of a client
 * that names the answers it has had, it is `written` once the client has named that answer. Every
 * call begins by acknowledging, so what a lost answer takes back is what stood in that answer.
 */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { TopicPartition, TopicPosition } from '../records/topic-partition.js';

/** A partition while an instance owns it: a new one each time that it is acquired. */
export class OwnedPartition implements TopicPartition {
  /** Where it is read from; null until the first read. */
  log: PartitionLog | null = null;
  /** The next offset to hand out; -1 = where to begin is not known yet. */
  position = -1;
  written = -1;
  marked = -1;
  acknowledged = -1;
  /** What committed offsets say of it, as far as this instance is concerned. */
  stored = -1;

  constructor(
    readonly topic: string,
    readonly partition: number,
  ) {}

  /** Reading goes on at `offset`, as is stored. */
  begin(offset: number): void {
    this.resume(offset);
    this.stored = offset;
  }

  /** Reading goes on at `offset`: its reader has all before it. */
  resume(offset: number): void {
    this.position = offset;
    this.written = offset;
    this.marked = offset;
    this.acknowledged = offset;
  }
}

/** Each session has its own. It holds no record: positions alone say what was handed out. */
export class Positions {
  private owned: readonly OwnedPartition[] = [];
  /** The same by their places. */
  private places: ReadonlyMap<string, OwnedPartition> = new Map();
  private turn = 0;

  /** What the instance owns, whether it has begun to read there or not. */
  get all(): readonly OwnedPartition[] {
    return this.owned;
  }

  find(place: TopicPartition): OwnedPartition | undefined {
    return this.places.get(nameOf(place));
  }

  /** Whether this very acquisition of a partition still holds. */
  owns(partition: OwnedPartition): boolean {
    return this.find(partition) === partition;
  }

  /** Owns exactly `partitions` from now on; answers those that it has lost. */
  own(partitions: readonly TopicPartition[]): readonly OwnedPartition[] {
    const before = this.owned;
    this.owned = partitions.map(
      (place) => this.find(place) ?? new OwnedPartition(place.topic, place.partition),
    );
    this.places = new Map(this.owned.map((own) => [nameOf(own), own]));
    return before.filter((own) => !this.owns(own));
  }

  /** Those to read from, another one first each time, so that no partition starves the others. */
  rotated(): readonly OwnedPartition[] {
    const first = this.owned.length === 0 ? 0 : this.turn % this.owned.length;
    this.turn += 1;
    return [...this.owned.slice(first), ...this.owned.slice(0, first)];
  }

  /** Everything handed out has been written in full; nothing was where it is not known what to. */
  write(): void {
    for (const own of this.owned) if (own.position >= 0) own.written = own.position;
  }

  /**
   * What was handed out and not acknowledged is handed out again: an answer was lost, and how much
   * of it the client received is not known.
   */
  rewind(): void {
    for (const own of this.owned) own.resume(own.acknowledged);
  }

  /** The reader has all that was written: it asks for more. */
  acknowledge(): void {
    for (const own of this.owned) {
      own.marked = own.written;
      own.acknowledged = own.written;
    }
  }

  /** An interval has passed: what had been written when it began is acknowledged. */
  tick(): void {
    for (const own of this.owned) {
      own.acknowledged = own.marked;
      own.marked = own.written;
    }
  }

  /** The interval begins: all that is written by now waits for its end. */
  mark(): void {
    for (const own of this.owned) own.marked = own.written;
  }

  /**
   * The reader has stored `offset` for itself. Its word is newer than what it acknowledged; further
   * than what it has been given nothing is acknowledged.
   */
  storedByReader({ topic, partition, offset }: TopicPosition): void {
    const own = this.find({ topic, partition });
    if (own === undefined) return;
    own.acknowledged = Math.max(own.acknowledged, Math.min(offset, own.written));
    own.marked = Math.max(own.marked, own.acknowledged);
    own.stored = own.acknowledged;
  }

  /** Reading goes on elsewhere; where it has not begun yet, it begins at what is stored. */
  seek({ topic, partition, offset }: TopicPosition): void {
    const own = this.find({ topic, partition });
    if (own !== undefined && own.position >= 0) own.begin(offset);
  }

  /** Whether anything was written that is not stored yet. */
  get isOutstanding(): boolean {
    return this.owned.some(({ written, stored }) => written !== stored);
  }
}

/** No other place has the same name: the partition stands behind the last slash. */
function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** What was acknowledged and is not stored yet; it counts as stored from now on. */
export function takeAcknowledged(partitions: readonly OwnedPartition[]): TopicPosition[] {
  const taken: TopicPosition[] = [];
  for (const own of partitions) {
    if (own.acknowledged === own.stored) continue;
    own.stored = own.acknowledged;
    taken.push({ topic: own.topic, partition: own.partition, offset: own.acknowledged });
  }
  return taken;
}
