/** Batches that are longer than one read of a file, for readers that take a part of one. */
import { LRUCache } from 'lru-cache';
import { Slots } from '../disk/in-parallel.js';
import type { KeptBatches, LongBatch } from '../format/batch-scan.js';

/** Bytes of batches that are kept. A larger one is read again each time. */
const bytesMax = 32 * 1024 * 1024;

/** How many are read at the same time: together they take this often the size of a batch. */
const readsAtOnce = 2;

/**
 * One per store, for all of its logs. A batch has to be read whole to check it. Without this, each
 * reader of one record would read all records that were appended with it, and many readers at once
 * would each hold them in memory.
 */
export class LongBatches implements KeptBatches {
  private readonly kept = new LRUCache<string, LongBatch>({
    maxSize: bytesMax,
    sizeCalculation: ({ length }) => length,
  });
  private readonly slots = new Slots(readsAtOnce);

  /**
   * The batch with this name (its file and position), read by `read` unless it is kept. Rejects
   * like `read`, and keeps nothing then.
   */
  of(name: string, length: number, read: () => Promise<Buffer>): LongBatch {
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    const batch = { length, bytes: this.slots.run(read), isIntact: false };
    this.kept.set(name, batch);
    batch.bytes.catch(() => this.forget(name));
    return batch;
  }

  /** Its bytes are not those of an intact batch: the next reader reads them again. */
  forget(name: string): void {
    this.kept.delete(name);
  }
}
