/** Appends the records of a produce: chooses their partitions, one atomic batch per partition. */
import type { PartitionLog } from '../../storage/partition-log.js';
import type { RecordInput } from '../../storage/record.js';
import { KeylessTurns, partitionOfKey } from './partitioner.js';
import type { ProduceRecord } from './produce.request.js';

/** Where a record ended up. */
export interface ProduceResult {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Unix milliseconds, as stored. */
  readonly timestamp: number;
}

export class RecordAppender {
  private readonly keylessTurns = new KeylessTurns();

  /**
   * Appends the records of one topic, in order, one atomic batch per partition, and settles when
   * all of them are durable. `partition` of a record must be below `logs.length`.
   */
  async append(
    topic: string,
    logs: readonly PartitionLog[],
    records: readonly ProduceRecord[],
  ): Promise<ProduceResult[]> {
    const partitions = this.choosePartitions(topic, logs.length, records);
    const results: ProduceResult[] = [];
    const commits: Promise<void>[] = [];
    for (const partition of new Set(partitions)) {
      const log = logs[partition];
      if (log === undefined) throw new Error(`${topic} has no partition ${partition}`);
      const own = [...records.keys()].filter((index) => partitions[index] === partition);
      const inputs = own.map((index) => recordInput(records[index] as ProduceRecord));
      const { baseOffset, timestamp, durable } = log.append(inputs);
      commits.push(durable);
      own.forEach((index, position) => {
        results[index] = {
          topic,
          partition,
          offset: baseOffset + position,
          timestamp: records[index]?.timestamp ?? timestamp,
        };
      });
    }
    await Promise.all(commits);
    return results;
  }

  private choosePartitions(
    topic: string,
    count: number,
    records: readonly ProduceRecord[],
  ): number[] {
    let keyless = -1;
    return records.map(({ partition, key }) => {
      if (partition !== null) return partition;
      if (key !== null) return partitionOfKey(key, count);
      if (keyless === -1) keyless = this.keylessTurns.next(topic, count);
      return keyless;
    });
  }
}

function recordInput({ key, value, headers, timestamp }: ProduceRecord): RecordInput {
  return timestamp === null ? { key, value, headers } : { key, value, headers, timestamp };
}
