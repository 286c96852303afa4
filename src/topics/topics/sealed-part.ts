/** Seals the growing part of a log, because only sealed parts can be removed or compacted. */
import { DamagedData, DiskFull, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';

/** Seals the growing segment if all of its records are below `offset`. */
export async function sealUpTo(log: PartitionLog, offset: number): Promise<void> {
  const last = log.segments.at(-1);
  if (last !== undefined && !last.isSealed && last.nextOffset <= offset) await log.roll();
}

/**
 * Seals growing segments by their age (as `segment.ms` of Kafka does): a segment that gets a record
 * now and then would keep its oldest ones until it is full.
 */
export class AgingSegments {
  /** When the first record of the growing segment at `baseOffset` was appended, Unix ms. */
  private readonly begun = new WeakMap<PartitionLog, { baseOffset: number; at: number }>();

  /**
   * Seals the growing segment if its first record was appended before `time` (Unix ms). One for
   * which there is no room, or whose first record cannot be read, is left for the next time.
   */
  async seal(log: PartitionLog, time: number): Promise<void> {
    try {
      const begunAt = await this.beginningOf(log);
      if (begunAt !== null && begunAt < time) await log.roll();
    } catch (error) {
      const isExpected =
        error instanceof DiskFull || error instanceof DamagedData || error instanceof LogClosed;
      if (!isExpected) throw error;
    }
  }

  /** Null if no segment grows. */
  private async beginningOf(log: PartitionLog): Promise<number | null> {
    const growing = log.segments.at(-1);
    if (growing === undefined || growing.isSealed) return null;
    const { baseOffset } = growing;
    const known = this.begun.get(log);
    if (known?.baseOffset === baseOffset) return known.at;
    const [first] = await log.read(Math.max(baseOffset, log.startOffset), { maxRecords: 1 });
    if (first === undefined) return null;
    this.begun.set(log, { baseOffset, at: first.timestamp });
    return first.timestamp;
  }
}
