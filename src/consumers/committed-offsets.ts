/**
 * What groups have committed: the records of the server's own topic `__consumer_offsets`, and a map
 * of the latest of each key. The map is ahead of the disk for the length of one commit.
 *
 *     key    JSON [group, topic, partition]
 *     value  JSON {"committed", "start", "at"}    null: forgotten
 */
import type { PartitionLog } from '../../storage/partition-log.js';
import type { RecordInput } from '../../storage/record.js';
import type { TopicPartition, TopicPosition } from './topic-partition.js';

/** The topic that committed offsets live in (spec: a dedicated topic). */
export const offsetsTopic = '__consumer_offsets';

/** What is kept for one partition of one group. */
export interface StoredOffset {
  /** What was committed last, exactly as it was asked; null = nothing was. */
  readonly committed: number | null;
  /**
   * Where reading goes on if that is elsewhere: where `latest` or a seek has led. It lasts until
   * the next commit, so that a crash before it skips no record.
   */
  readonly start: number | null;
  /** When, Unix milliseconds. */
  readonly at: number;
}

type OffsetsOfGroup = Map<string, StoredOffset>;

/** So much of the log is read at once at the start. */
const readBytes = 4 * 1024 * 1024;

export class CommittedOffsets {
  private readonly groups = new Map<string, OffsetsOfGroup>();
  private latest: Promise<void> = Promise.resolve();

  private constructor(private readonly log: PartitionLog) {}

  /** Reads all that the log holds. */
  static async open(log: PartitionLog): Promise<CommittedOffsets> {
    const offsets = new CommittedOffsets(log);
    for (let from = log.startOffset; from < log.highWatermark; ) {
      const batches = await log.read(from, { maxBytes: readBytes });
      for (const batch of batches) {
        for (const { key, value } of batch.records()) offsets.remember(key, value);
      }
      const next = batches.at(-1)?.nextOffset ?? log.highWatermark;
      from = Math.max(next, from + 1);
    }
    return offsets;
  }

  find(group: string, { topic, partition }: TopicPartition): StoredOffset | undefined {
    return this.groups.get(group)?.get(`${topic}/${partition}`);
  }

  /** All that is stored of a group, in no order. */
  of(group: string): { readonly place: TopicPartition; readonly stored: StoredOffset }[] {
    const own = [...(this.groups.get(group) ?? [])];
    return own.map(([name, stored]) => ({ place: placeOf(name), stored }));
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

  /** Forgets all of a group; settles when it is durable. */
  forgetGroup(group: string): Promise<void> {
    this.forget([...(this.groups.get(group) ?? new Map()).keys()].map((name) => [group, name]));
    return this.durable();
  }

  /** Forgets a topic in all groups; settles when it is durable. */
  forgetTopic(topic: string): Promise<void> {
    const gone: [string, string][] = [];
    for (const [group, offsets] of this.groups) {
      for (const name of offsets.keys())
        if (placeOf(name).topic === topic) gone.push([group, name]);
    }
    this.forget(gone);
    return this.durable();
  }

  /** Settles when all that can be read here by now is durable. */
  durable(): Promise<void> {
    return this.latest;
  }

  private store(
    group: string,
    entries: readonly (readonly [TopicPartition, StoredOffset])[],
  ): void {
    if (entries.length === 0) return;
    this.append(
      entries.map(([{ topic, partition }, stored]) => ({
        key: Buffer.from(JSON.stringify([group, topic, partition])),
        value: Buffer.from(JSON.stringify(stored)),
      })),
    );
    for (const [{ topic, partition }, stored] of entries) {
      this.set(group, `${topic}/${partition}`, stored);
    }
  }

  private forget(gone: readonly (readonly [string, string])[]): void {
    if (gone.length === 0) return;
    this.append(
      gone.map(([group, name]) => {
        const { topic, partition } = placeOf(name);
        return { key: Buffer.from(JSON.stringify([group, topic, partition])), value: null };
      }),
    );
    for (const [group, name] of gone) this.unset(group, name);
  }

  private append(records: readonly RecordInput[]): void {
    const { durable } = this.log.append(records);
    // A failed write ends the process: whoever waits for it waits for ever.
    this.latest = durable.catch(() => new Promise<never>(() => undefined));
  }

  private remember(key: Buffer | null, value: Buffer | null): void {
    if (key === null) return;
    const [group, topic, partition] = JSON.parse(key.toString()) as [string, string, number];
    const name = `${topic}/${partition}`;
    if (value === null) this.unset(group, name);
    else this.set(group, name, JSON.parse(value.toString()) as StoredOffset);
  }

  private set(group: string, name: string, stored: StoredOffset): void {
    const own = this.groups.get(group);
    if (own === undefined) this.groups.set(group, new Map([[name, stored]]));
    else own.set(name, stored);
  }

  private unset(group: string, name: string): void {
    const own = this.groups.get(group);
    own?.delete(name);
    if (own?.size === 0) this.groups.delete(group);
  }
}

/** A topic's name has no slash. */
function placeOf(name: string): TopicPartition {
  const slash = name.lastIndexOf('/');
  return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
}
