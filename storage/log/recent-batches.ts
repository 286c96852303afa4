/** The batches that one reader read last: its next records are often in the same batches. */
import type { RecordBatch } from '../format/record-batch.js';
import type { Offset } from '../offsets/offset.js';

/** Bytes of batches kept for a reader; the last batch is kept however large it is. */
const bytesMax = 256 * 1024;

/**
 * Batches of a log never change, so the cache never goes stale. It belongs to one reader and is
 * dropped with it, so that it holds no memory that nothing uses.
 */
export class RecentBatches {
  private batches: RecordBatch[] = [];
  private bytes = 0;

  /** Remembers the batches of a read, and forgets the oldest. */
  add(read: readonly RecordBatch[]): void {
    for (const batch of read) {
      this.batches.push(batch);
      this.bytes += batch.byteLength;
    }
    while (this.bytes > bytesMax && this.batches.length > 1) {
      this.bytes -= this.batches.shift()?.byteLength ?? 0;
    }
  }

  /** The batch with this offset, if it was read recently. */
  find(offset: Offset): RecordBatch | undefined {
    return this.batches.findLast(({ baseOffset, nextOffset }) => {
      return baseOffset <= offset && offset < nextOffset;
    });
  }
}
