/** What other features ask of topics: their logs, and to be told when those come, grow and go. */
import type { RecordBatch } from '../../../storage/format/record-batch.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Refusal } from '../../http/error-shapes.js';
import type { SharedRead } from './shared-reads.js';

export interface TopicAccess {
  /** The logs of a topic by partition; where topics come by themselves it is created first. */
  forConsume(topic: string): Promise<readonly PartitionLog[] | Refusal>;

  /**
   * Makes those of `topics` that are not there where topics come by themselves: all of them or
   * none, which the refusal tells of. Null once it is durable that they exist.
   */
  ensure(topics: Iterable<string>): Promise<Refusal | null>;

  /** The logs of a topic by partition; undefined if it does not exist (any more). */
  logs(topic: string): Promise<readonly PartitionLog[] | undefined>;

  /**
   * Batches of a topic's log from an offset on: often fewer records than are wanted, none where
   * there is nothing. Rejects as `PartitionLog.read` does.
   */
  read(log: PartitionLog, effect: SharedRead): Promise<readonly RecordBatch[]>;

  /**
   * How many partitions the topic has by now; 0 = it does not exist (any more). While it grows
   * there are fewer logs for a moment.
   */
  partitionsOf(topic: string): number;

  /**
   * The one log of a topic of the server's own, whose name begins with `__`: created if need be,
   * compacted from time to time (per key its last record stays), hidden from everybody.
   */
  openInternal(name: string): Promise<PartitionLog>;

  /**
   * `hook` runs after the logs of a deleted topic are gone, and is awaited before another topic may
   * take its name; again after a crash in between. Before recovery.
   */
  onDropped(hook: (topic: string) => Promise<void>): void;

  /**
   * `listener` is told when the logs of a topic have come to be there: it was created or has grown,
   * or the server has started.
   */
  onPartitions(listener: (topic: string) => void): void;
}
