/**
 * What groups have committed: the records of the server's own topic `__consumer_offsets`, and a map
 * of the latest of each key. The map is ahead of the disk for the length of one commit, or until
 * there is space on it again.
 *
 *     key    JSON [group, topic, partition]
 *     value  JSON {"committed", "start", "at"}    null: forgotten
 */
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import type { RecordInput } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { TopicPartition, TopicPosition } from '../records/topic-partition.js';

/** The topic that committed offsets live in. */
export const offsetsTopic = '__consumer_offsets';

/** What is kept for one partition of one group. */
export interface StoredOffset {
  /** What was committed last, exactly as it was given; null = nothing was. */
  readonly committed: number | null;
  /**
   * Where reading goes on if that is elsewhere: where `latest` or a seek has led. It lasts until
   * the next commit, so that a crash before it skips no record.
   */
  readonly start: number | null;
  /** When, Unix milliseconds. */
  readonly at: number;
}

/** By topic, and by partition. */
type OffsetsOfGroup = Map<string, Map<number, StoredOffset>>;

/** A partition of a topic in a group: what a record's key says. */
type Place = readonly [group: string, topic: string, partition: number];

/** Calls back once, when there is space on the disk. */
export type WhenSpace = (wake: () => void) => void;

const none: ReadonlyMap<number, StoredOffset> = new Map();

/** So much of the log is read at once at the start. */
const readBytes = 4 * 1024 * 1024;

/**
 * One append ends once it has so much: more than a request commits, which is there as a whole or
 * not at all after a crash. What is forgotten with a topic may be more than one append takes.
 */
const appendBytes = 8 * 1024 * 1024;

/**
 * One for the server; `stepwell journal` reads the same log. `commit` and `keepStart` return at
 * once: await `durable` before a client is answered.
 */
export class CommittedOffsets {
  private readonly groups = new Map<string, OffsetsOfGroup>();
  private latest: Promise<void> = Promise.resolve();
  /** Whose latest is not on its way to the disk: there was no space. */
  private unwritten = new Map<string, Place>();
  private isWaiting = false;

  constructor(
    private readonly log: PartitionLog,
    private readonly whenSpace: WhenSpace,
  ) {}

  /** With all that the log holds. */
  static async open(log: PartitionLog, whenSpace: WhenSpace): Promise<CommittedOffsets> {
    const offsets = new CommittedOffsets(log, whenSpace);
    await offsets.recover();
    return offsets;
  }

  /** Reads all that the log holds; before the first use. */
  async recover(): Promise<void> {
    const { log } = this;
    for (let from = log.startOffset; from < log.highWatermark; ) {
      const batches = await log.read(from, { maxBytes: readBytes });
      for (const batch of batches) {
        for (const { key, value } of batch.records()) this.remember(key, value);
      }
      const next = batches.at(-1)?.nextOffset ?? log.highWatermark;
      from = Math.max(next, from + 1);
    }
  }

  /** What is stored of a partition for a group; undefined = nothing is. */
  find(group: string, { topic, partition }: TopicPartition): StoredOffset | undefined {
    return this.groups.get(group)?.get(topic)?.get(partition);
  }

  /** Everything that is stored, in no order. */
  *all(): Generator<{ readonly group: string; readonly stored: StoredOffset } & TopicPartition> {
    for (const [group, topics] of this.groups) {
      for (const [topic, partitions] of topics) {
        for (const [partition, stored] of partitions) yield { group, topic, partition, stored };
      }
    }
  }

  /** The partitions of which something is stored for a group, in no order. */
  of(group: string): TopicPartition[] {
    return [...(this.groups.get(group) ?? [])].flatMap(([topic, own]) =>
      [...own.keys()].map((partition) => ({ topic, partition })),
    );
  }

  /** What is stored of a topic for a group, by partition. */
  ofTopic(group: string, topic: string): ReadonlyMap<number, StoredOffset> {
    return this.groups.get(group)?.get(topic) ?? none;
  }

  /** The topics of which something is stored for a group, in no order. */
  topicsOf(group: string): Iterable<string> {
    return this.groups.get(group)?.keys() ?? [];
  }

  /** Commits positions; they are read back at once, and durable after `durable()`. */
  commit(group: string, positions: readonly TopicPosition[], at: number): void {
    this.store(
      group,
      positions.map((position) => [position, { committed: position.offset, start: null, at }]),
    );
  }

  /** Keeps where reading goes on, without committing it. */
  keepStart(group: string, positions: readonly TopicPosition[], at: number): void {
    this.store(
      group,
      positions.map((position) => {
        const committed = this.find(group, position)?.committed ?? null;
        return [position, { committed, start: position.offset, at }];
      }),
    );
  }

  /** Forgets all of a group; settles when it is durable, however long there is no space. */
  forgetGroup(group: string): Promise<void> {
    this.forget(this.of(group).map(({ topic, partition }) => [group, topic, partition]));
    return this.durableAtLast();
  }

  /** Forgets a topic in all groups; settles when it is durable, however long there is no space. */
  forgetTopic(topic: string): Promise<void> {
    const gone = [...this.groups].flatMap(([group, own]) =>
      [...(own.get(topic)?.keys() ?? [])].map((partition): Place => [group, topic, partition]),
    );
    this.forget(gone);
    return this.durableAtLast();
  }

  /**
   * Settles when all that can be read here by now is durable. Rejects with `DiskFull` while there
   * is no space for it: it is written by itself once there is.
   */
  durable(): Promise<void> {
    this.write([]);
    return this.latest;
  }

  private async durableAtLast(): Promise<void> {
    for (;;) {
      try {
        return await this.durable();
      } catch (error) {
        if (!(error instanceof DiskFull)) throw error;
        await new Promise<void>((wake) => this.whenSpace(wake));
      }
    }
  }

  private store(
    group: string,
    entries: readonly (readonly [TopicPartition, StoredOffset])[],
  ): void {
    const places = entries.map(([{ topic, partition }, stored]): Place => {
      const place: Place = [group, topic, partition];
      this.set(place, stored);
      return place;
    });
    this.write(places);
  }

  private forget(gone: readonly Place[]): void {
    for (const place of gone) this.unset(place);
    this.write(gone);
  }

  /** Appends the latest of `places`, and of those that found no space before. */
  private write(places: readonly Place[]): void {
    for (const place of places) this.unwritten.set(JSON.stringify(place), place);
    const written = this.unwritten;
    if (written.size === 0) return;
    try {
      const appended = this.appends(written.values()).map((records) => this.log.append(records));
      this.unwritten = new Map();
      const durable = Promise.all(appended.map((each) => each.durable)).then(() => undefined);
      this.latest = durable.catch((error: unknown) => this.notWritten(written, error));
    } catch (error) {
      if (!(error instanceof DiskFull)) throw error;
      this.latest = this.notWritten(written, error);
    }
    this.latest.catch(() => undefined);
  }

  /** The records of places, as many to one append as it takes. */
  private appends(places: Iterable<Place>): RecordInput[][] {
    const appends: RecordInput[][] = [];
    let left = 0;
    for (const place of places) {
      if (left <= 0) {
        appends.push([]);
        left = appendBytes;
      }
      const record = this.record(place);
      appends.at(-1)?.push(record);
      left -= record.key.length + (record.value?.length ?? 0);
    }
    return appends;
  }

  private record(place: Place): RecordInput & { readonly key: Buffer } {
    const [group, topic, partition] = place;
    const stored = this.find(group, { topic, partition });
    return {
      key: Buffer.from(JSON.stringify(place)),
      value: stored === undefined ? null : Buffer.from(JSON.stringify(stored)),
    };
  }

  /** Any failure but a full disk ends the process: a caller that awaits it waits for ever. */
  private notWritten(places: ReadonlyMap<string, Place>, error: unknown): Promise<never> {
    if (!(error instanceof DiskFull)) return new Promise<never>(() => undefined);
    for (const [key, place] of places) this.unwritten.set(key, place);
    if (!this.isWaiting) {
      this.isWaiting = true;
      this.whenSpace(() => {
        this.isWaiting = false;
        this.write([]);
      });
    }
    return Promise.reject(error);
  }

  private remember(key: Buffer | null, value: Buffer | null): void {
    if (key === null) return;
    const place = JSON.parse(key.toString()) as Place;
    if (value === null) this.unset(place);
    else this.set(place, JSON.parse(value.toString()) as StoredOffset);
  }

  private set([group, topic, partition]: Place, stored: StoredOffset): void {
    const own: OffsetsOfGroup = this.groups.get(group) ?? new Map();
    const partitions = own.get(topic) ?? new Map<number, StoredOffset>();
    this.groups.set(group, own.set(topic, partitions.set(partition, stored)));
  }

  private unset([group, topic, partition]: Place): void {
    const own = this.groups.get(group);
    const partitions = own?.get(topic);
    partitions?.delete(partition);
    if (partitions?.size === 0) own?.delete(topic);
    if (own?.size === 0) this.groups.delete(group);
  }
}
