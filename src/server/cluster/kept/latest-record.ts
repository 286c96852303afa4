/** A log of the store in which only the last record counts. */
import type { PartitionLog } from '../../../../storage/log/partition-log.js';

/** The value of the last record; null if there is none. */
export async function latestIn(log: PartitionLog): Promise<Buffer | null> {
  const last = log.highWatermark - 1;
  if (last < log.startOffset) return null;
  const [batch] = await log.read(last, { maxRecords: 1 });
  return batch?.record(last)?.value ?? null;
}

/** Appends `value` as JSON; settles once it is durable and the previous record can be removed. */
export async function keepLatest(log: PartitionLog, value: unknown): Promise<void> {
  await log.append([{ key: null, value: Buffer.from(JSON.stringify(value)) }]).durable;
  await log.trimTo(log.highWatermark - 1);
}
