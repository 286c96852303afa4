/**
 * Finds what an earlier request with the same key has stored in the logs of a topic (topics.md
 * 2.5).
 */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { markAmong, type RequestMark } from './idempotency.js';

/** The stored parts; after a crash some may be missing. */
export interface StoredParts {
  /** The mark of the request that stored the parts. */
  readonly mark: RequestMark;
  /** Partition to the offset of the part's first record. */
  readonly baseOffsets: ReadonlyMap<number, number>;
}

/**
 * Searching a sealed segment takes two reads of its index; 64 segments are 4 GiB of a partition.
 */
const segmentsMax = 64;

/**
 * Finds, in every partition, the part whose first record carries the index term and was appended at
 * or after `since` (Unix milliseconds), within the last 64 segments; undefined if there is none.
 * Records removed by compaction are not found.
 */
export async function findStored(
  logs: readonly PartitionLog[],
  term: string,
  since: number,
): Promise<StoredParts | undefined> {
  const baseOffsets = new Map<number, number>();
  let mark: RequestMark | undefined;
  const found = await Promise.all(logs.map((log) => findIn(log, term, since)));
  found.forEach((part, partition) => {
    if (part === undefined) return;
    baseOffsets.set(partition, part.offset);
    mark = part.mark;
  });
  return mark === undefined ? undefined : { mark, baseOffsets };
}

async function findIn(
  log: PartitionLog,
  term: string,
  since: number,
): Promise<{ offset: number; mark: RequestMark } | undefined> {
  const recent = log.segments.slice(-segmentsMax).find(({ latestTime }) => latestTime >= since);
  if (recent === undefined) return undefined;
  for await (const offset of log.find(term, { from: recent.baseOffset, order: 'newest' })) {
    const [batch] = await log.read(offset, { maxRecords: 1 });
    const mark = markAmong(batch?.record(offset)?.terms ?? []);
    const isRecent = batch !== undefined && batch.timestamp >= since;
    return mark === undefined || !isRecent ? undefined : { offset, mark };
  }
  return undefined;
}
