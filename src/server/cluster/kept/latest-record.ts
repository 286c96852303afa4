/** A log of the store of which only the last record counts. */
import type { PartitionLog } from '../../../../storage/log/partition-log.js';

/** Its value; null = there is none. */
export async function latestIn(log: PartitionLog): Promise<Buffer | null> {
  const last = log.highWatermark - 1;
  if (last < log.startOffset) return null;
  const [batch] = await log.read(last, { maxRecords: 1 });
  return batch?.record(last)?.value ?? null;
}

/** Settles once `value` counts, as JSON, and what counted before can go. */
export async function keepLatest(log: PartitionLog, value: unknown): Promise<void> {
  await log.append([{ key: null, value: Buffer.from(JSON.stringify(value)) }]).durable;
  await log.trimTo(log.highWatermark - 1);
}
