/** The batches that one reader has read last: what follows is often about what stands in them. */
import type { RecordBatch } from '../format/record-batch.js';
import type { Offset } from '../offsets/offset.js';

/** Bytes of batches that are held for a reader; the last one read is, however large it is. */
const bytesMax = 256 * 1024;

/**
 * Batches of a log never change, so nothing here goes stale; but it is of one reader, and goes with
 * it: kept for longer it would keep memory that nothing asks for.
 */
export class RecentBatches {
  private batches: RecordBatch[] = [];
  private bytes = 0;

  /** Remembers what a read has brought, and forgets what was read long ago. */
  add(read: readonly RecordBatch[]): void {
    for (const batch of read) {
      this.batches.push(batch);
      this.bytes += batch.byteLength;
    }
    while (this.bytes > bytesMax && this.batches.length > 1) {
      this.bytes -= this.batches.shift()?.byteLength ?? 0;
    }
  }

  /** The batch with this offset, if it was read lately. */
  find(offset: Offset): RecordBatch | undefined {
    return this.batches.findLast(({ baseOffset, nextOffset }) => {
      return baseOffset <= offset && offset < nextOffset;
    });
  }
}
