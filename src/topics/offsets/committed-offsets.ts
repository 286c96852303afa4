/**
 * The committed offsets of groups: the records of the server's own topic `__consumer_offsets`, and
 * a map with the latest value of each key. The map is ahead of the disk for the duration of one
 * commit, or until a full disk has space again.
 *
 *     key    JSON [group, topic, partition]
 *     value  JSON {"committed", "start", "at"}    null = deleted
 */
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import type { RecordInput } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { TopicPartition, TopicPosition } from '../records/topic-partition.js';

/** The topic that stores committed offsets. */
export const offsetsTopic = '__consumer_offsets';

/** What is stored for one partition of one group. */
export interface StoredOffset {
  /** The last committed offset, exactly as it was given; null = none. */
  readonly committed: number | null;
  /**
   * Where reading continues, if not at `committed`: the offset chosen by `latest` or a seek. It is
   * valid until the next commit, so that a crash before that skips no record.
   */
  readonly start: number | null;
  /** When it was stored, Unix milliseconds. */
  readonly at: number;
}

/** The offsets of a group, by topic and partition. */
type OffsetsOfGroup = Map<string, Map<number, StoredOffset>>;

/** A partition of a topic in a group: the content of a record's key. */
type Place = readonly [group: string, topic: string, partition: number];

/** Calls `wake` once, when the disk has space. */
export type WhenSpace = (wake: () => void) => void;

const none: ReadonlyMap<number, StoredOffset> = new Map();

/** Bytes of the log per read at startup. */
const readBytes = 4 * 1024 * 1024;

/**
 * An append is ended once it has this size. That is more than a request commits, so that a request
 * is stored completely or not at all after a crash. Deleting the offsets of a topic may need more
 * than one append.
 */
const appendBytes = 8 * 1024 * 1024;

/**
 * One instance for the server; `stepwell journal` reads the same log. `commit` and `keepStart`
 * return at once: await `durable` before answering a client.
 */
export class CommittedOffsets {
  private readonly groups = new Map<string, OffsetsOfGroup>();
  private latest: Promise<void> = Promise.resolve();
  /** The places whose latest value could not be written because the disk was full. */
  private unwritten = new Map<string, Place>();
  private isWaiting = false;

  constructor(
    private readonly log: PartitionLog,
    private readonly whenSpace: WhenSpace,
  ) {}

  /** Opens the offsets and reads everything in the log. */
  static async open(log: PartitionLog, whenSpace: WhenSpace): Promise<CommittedOffsets> {
    const offsets = new CommittedOffsets(log, whenSpace);
    await offsets.recover();
    return offsets;
  }

  /** Reads everything in the log; call it before the first use. */
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

  /** What is stored for a partition of a group; undefined = nothing. */
  find(group: string, { topic, partition }: TopicPartition): StoredOffset | undefined {
    return this.groups.get(group)?.get(topic)?.get(partition);
  }

  /** Everything that is stored, in no particular order. */
  *all(): Generator<{ readonly group: string; readonly stored: StoredOffset } & TopicPartition> {
    for (const [group, topics] of this.groups) {
      for (const [topic, partitions] of topics) {
        for (const [partition, stored] of partitions) yield { group, topic, partition, stored };
      }
    }
  }

  /** The partitions for which a group has something stored, in no particular order. */
  of(group: string): TopicPartition[] {
    return [...(this.groups.get(group) ?? [])].flatMap(([topic, own]) =>
      [...own.keys()].map((partition) => ({ topic, partition })),
    );
  }

  /** What is stored for a topic of a group, by partition. */
  ofTopic(group: string, topic: string): ReadonlyMap<number, StoredOffset> {
    return this.groups.get(group)?.get(topic) ?? none;
  }

  /** The topics for which a group has something stored, in no particular order. */
  topicsOf(group: string): Iterable<string> {
    return this.groups.get(group)?.keys() ?? [];
  }

  /** Commits positions. They can be read here at once, and are durable after `durable()`. */
  commit(group: string, positions: readonly TopicPosition[], at: number): void {
    this.store(
      group,
      positions.map((position) => [position, { committed: position.offset, start: null, at }]),
    );
  }

  /** Stores where reading continues, without committing it. */
  keepStart(group: string, positions: readonly TopicPosition[], at: number): void {
    this.store(
      group,
      positions.map((position) => {
        const committed = this.find(group, position)?.committed ?? null;
        return [position, { committed, start: position.offset, at }];
      }),
    );
  }

  /**
   * Deletes everything of a group; resolves when that is durable, no matter how long the disk is
   * full.
   */
  forgetGroup(group: string): Promise<void> {
    this.forget(this.of(group).map(({ topic, partition }) => [group, topic, partition]));
    return this.durableAtLast();
  }

  /**
   * Deletes a topic in all groups; resolves when that is durable, no matter how long the disk is
   * full.
   */
  forgetTopic(topic: string): Promise<void> {
    const gone = [...this.groups].flatMap(([group, own]) =>
      [...(own.get(topic)?.keys() ?? [])].map((partition): Place => [group, topic, partition]),
    );
    this.forget(gone);
    return this.durableAtLast();
  }

  /**
   * Resolves when everything that can be read here now is durable. Rejects with `DiskFull` while
   * there is no space for it; it is written automatically once there is.
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

  /** Appends the latest values of `places`, and of the places that found no space before. */
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

  /** The records of places, grouped into appends. */
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

  /**
   * Handles a failed write. Any failure other than a full disk ends the process, so its callers
   * simply wait forever.
   */
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
