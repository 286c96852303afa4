/** Seals the growing part of a log, because only sealed parts can be removed or compacted. */
import type { PartitionLog } from '../../../storage/log/partition-log.js';

/** Seals the growing segment if all of its records are below `offset`. */
export async function sealUpTo(log: PartitionLog, offset: number): Promise<void> {
  const last = log.segments.at(-1);
  if (last !== undefined && !last.isSealed && last.nextOffset <= offset) await log.roll();
}
