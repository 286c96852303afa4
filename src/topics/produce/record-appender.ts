/**
 * Appends the records of one topic to its logs: the records of each partition as one atomic batch,
 * except those already stored under the request's key.
 */
import { Inject, Injectable } from '@nestjs/common';
import { DiskFull } from '../../../storage/faults/storage-errors.js';
import type { RecordInput } from '../../../storage/format/record.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { diskFullRefusal } from '../../http/error-shapes.js';
import { digestOf, keyTerm, markTerm, type RequestMark } from './idempotency.js';
import { KeylessTurns, partitionOfKey } from './partitioner.js';
import type { ProduceRecord } from './produce.request.js';
import { findStored } from './stored-parts.js';

/** Where a record was stored. */
export interface ProduceResult {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Unix milliseconds, as stored. */
  readonly timestamp: number;
}

/** The records of one topic for one partition: one append, which stores all of them or none. */
interface Part {
  readonly partition: number;
  /** The indexes of the records, ascending. */
  readonly indexes: readonly number[];
  readonly records: readonly ProduceRecord[];
}

/** The planned appends of one topic. */
export interface TopicPlan {
  readonly topic: string;
  readonly logs: readonly PartitionLog[];
  readonly parts: readonly Part[];
  /** Why some of the records go to no partition, by their indexes. */
  readonly outside: ReadonlyMap<number, Refusal>;
  /** Set for a request with an idempotency key. */
  readonly once: OncePlan | null;
}

/** How a repeated request is recognized, and what an earlier one has stored. */
interface OncePlan {
  /** Index terms of the first record of each part. */
  readonly terms: readonly string[];
  /** The timestamp of records without their own, Unix milliseconds. */
  readonly at: number;
  /** Partition to the offset of the first record of its part. */
  readonly stored: ReadonlyMap<number, number>;
}

/** How long a repeated idempotency key is recognized. */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000;

/** The refusal of records that found no space on the disk. */
export const diskFull = diskFullRefusal(
  'the disk is full: nothing of this was stored; try again when there is room',
);

/**
 * One instance for the server; it remembers which partition takes the next records without a key.
 */
@Injectable()
export class RecordAppender {
  private readonly keylessTurns = new KeylessTurns();

  constructor(@Inject(provided.clock) private readonly clock: Clock) {}

  /**
   * Assigns the records of one topic to partitions; those that name a missing partition are
   * `outside`.
   */
  plan(topic: string, logs: readonly PartitionLog[], records: readonly ProduceRecord[]): TopicPlan {
    const keyless = () => this.keylessTurns.next(logs);
    const spread = partsOf(records, logs.length, keyless);
    const refuse = (partition: number) => noPartition(topic, partition);
    const { parts, outside } = within(spread, logs.length, refuse);
    return { topic, logs, parts, outside, once: null };
  }

  /**
   * Assigns the records in such a way that a repeated request is assigned alike, and finds which of
   * them are stored. 409 if other records are stored under the key. A record whose partition did
   * not exist when the request was first stored is `outside` even if the topic has grown: nothing
   * more is stored.
   */
  async planOnce(
    topic: string,
    logs: readonly PartitionLog[],
    records: readonly ProduceRecord[],
    key: string,
  ): Promise<TopicPlan | Refusal> {
    const at = this.clock.now();
    const stored = await findStored(logs, keyTerm(key), at - idempotencyWindowMs);
    const fresh: RequestMark = { partitions: logs.length, at, digest: digestOf(records) };
    const mark = stored?.mark ?? fresh;
    if (mark.digest !== fresh.digest) {
      const message = `Idempotency-Key ${key} was used for other records of topic ${topic}`;
      return new Refusal('conflict', message);
    }
    const keyless = () => partitionOfKey(Buffer.from(key), mark.partitions);
    const spread = partsOf(records, mark.partitions, keyless);
    const terms = [keyTerm(key), markTerm(mark)];
    const once = { terms, at: mark.at, stored: stored?.baseOffsets ?? new Map() };
    const refuse = (partition: number) =>
      partition < logs.length
        ? hadNoPartition(topic, partition, key)
        : noPartition(topic, partition);
    const { parts, outside } = within(spread, mark.partitions, refuse);
    return { topic, logs, parts, outside, once };
  }

  /**
   * Appends what is missing; resolves with the results in the order of the records, when everything
   * is durable. The records of a part that found no space get 507; none of them is stored. Rejects
   * with `DiskFull` if that was known before; then nothing of the plan is stored.
   */
  async append(plan: TopicPlan): Promise<readonly (ProduceResult | Refusal)[]> {
    const { topic, logs, parts, outside, once } = plan;
    const results: (ProduceResult | Refusal)[] = [];
    for (const [index, refusal] of outside) results[index] = refusal;
    const commits: Promise<void>[] = [];
    for (const { partition, indexes, records } of parts) {
      const log = logs[partition];
      if (log === undefined) throw new Error(`${topic} has no partition ${partition}`);
      let baseOffset = once?.stored.get(partition);
      let time = once?.at ?? 0;
      if (baseOffset === undefined) {
        const appended = log.append(inputsOf(records, once));
        const refuse = (error: unknown) => {
          if (!(error instanceof DiskFull)) throw error;
          for (const index of indexes) results[index] = diskFull;
        };
        commits.push(appended.durable.catch(refuse));
        baseOffset = appended.baseOffset;
        time = once?.at ?? appended.timestamp;
      }
      for (let place = 0; place < records.length; place += 1) {
        const timestamp = records[place]?.timestamp ?? time;
        const offset = baseOffset + place;
        results[indexes[place] ?? 0] = { topic, partition, offset, timestamp };
      }
    }
    await Promise.all(commits);
    return results;
  }
}

/**
 * Groups records by partition: the partition that a record names, else that of its key among
 * `partitions`, else the one that all keyless records of the request share. `keyless` is called at
 * most once.
 */
export function partsOf(
  records: readonly ProduceRecord[],
  partitions: number,
  keyless: () => number,
): readonly Part[] {
  const parts = new Map<number, { indexes: number[]; records: ProduceRecord[] }>();
  let shared = -1;
  let index = 0;
  for (const record of records) {
    const { partition: named, key } = record;
    if (named === null && key === null && shared === -1) shared = keyless();
    const partition = named ?? (key === null ? shared : partitionOfKey(key, partitions));
    const part = parts.get(partition);
    if (part === undefined) parts.set(partition, { indexes: [index], records: [record] });
    else {
      part.indexes.push(index);
      part.records.push(record);
    }
    index += 1;
  }
  return [...parts].map(([partition, part]) => ({ partition, ...part }));
}

const none: TopicPlan['outside'] = new Map();

/**
 * The parts of existing partitions (those below `partitions`), and the refusals of all other
 * records.
 */
function within(
  parts: readonly Part[],
  partitions: number,
  refuse: (partition: number) => Refusal,
): Pick<TopicPlan, 'parts' | 'outside'> {
  if (parts.every(({ partition }) => partition < partitions)) return { parts, outside: none };
  const outside = new Map<number, Refusal>();
  for (const { partition, indexes } of parts) {
    if (partition < partitions) continue;
    const refusal = refuse(partition);
    for (const index of indexes) outside.set(index, refusal);
  }
  return { parts: parts.filter(({ partition }) => partition < partitions), outside };
}

/** The refusal of a record for a partition that its topic does not have. */
export function noPartition(topic: string, partition: number): Refusal {
  return new Refusal('invalid', `${topic} has no partition ${partition}`);
}

/**
 * The refusal of a record for a partition that the topic has now, but did not have when the key was
 * first used. Under another key, the record would be stored.
 */
function hadNoPartition(topic: string, partition: number, key: string): Refusal {
  const since = `when Idempotency-Key ${key} was first used`;
  return new Refusal('invalid', `${topic} had no partition ${partition} ${since}`);
}

function inputsOf(records: readonly ProduceRecord[], once: OncePlan | null): RecordInput[] {
  return records.map(({ key, value, headers, timestamp: own }, index) => {
    const timestamp = own ?? once?.at;
    const terms = index === 0 ? once?.terms : undefined;
    return {
      key,
      value,
      headers,
      ...(timestamp !== undefined && { timestamp }),
      ...(terms !== undefined && { terms }),
    };
  });
}
