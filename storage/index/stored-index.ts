/**
 * The index of a sealed segment in the form that readers keep: the offset table in memory, the
 * terms in their file. A look-up reads one bucket, so a thousand segments can be searched without a
 * thousand indexes in memory.
 */
import type { Disk } from '../disk/disk.js';
import { inParallel } from '../disk/in-parallel.js';
import type { OpenFiles } from '../disk/open-files.js';
import { readUpTo } from '../disk/whole-file.js';
import { errorCode } from '../faults/storage-errors.js';
import { union } from '../offsets/rising-offsets.js';
import { findStored, hashTerm, IndexFault } from './key-index.js';
import type { OffsetIndex, StoredKeys } from './segment-index.js';

/** Finds records in one segment. */
export interface RecordFinder {
  readonly offsets: OffsetIndex;
  /** Bytes of memory that it takes. */
  readonly byteLength: number;
  /** Offsets, relative to the segment's base and rising, of records that may carry `term`. */
  find(term: string): number[] | Promise<number[]>;
  /** The offsets of records with one of the terms, rising, each once. */
  findAny(terms: readonly string[]): number[] | Promise<number[]>;
}

/** How many terms of one query are looked up at the same time. */
const readsAtOnce = 16;

/** Where an index is stored. */
interface IndexPlace {
  readonly disk: Disk;
  readonly openFiles: OpenFiles;
  readonly path: string;
  /** Rebuilds the index from the records: its file is gone, or has been damaged. */
  remake(): Promise<RecordFinder>;
}

/**
 * An index file that does not read back never becomes an object of this class:
 * `SegmentReader.indexOf` rebuilds the index from the records. So does this class, if its file is
 * gone or damaged later and a look-up shows that. Flipped bits of a term that leave it in its
 * bucket do not show.
 */
export class StoredIndex implements RecordFinder {
  /** `keys` and `offsets` are from the file in `place`, which was read whole and found intact. */
  constructor(
    private readonly place: IndexPlace,
    private readonly keys: StoredKeys,
    readonly offsets: OffsetIndex,
  ) {}

  get byteLength(): number {
    return this.offsets.byteLength;
  }

  async findAny(terms: readonly string[]): Promise<number[]> {
    // A few at a time: each is a read of the file, and others want to read, too.
    return union(await inParallel(terms, readsAtOnce, (term) => this.find(term)));
  }

  async find(term: string): Promise<number[]> {
    const { place, keys } = this;
    const { disk, openFiles, path } = place;
    try {
      return await openFiles.use(path, (file) =>
        findStored(hashTerm(term), keys, ({ position, length }) =>
          readUpTo(disk, file, keys.start + position, length),
        ),
      );
    } catch (error) {
      const isLost = error instanceof IndexFault || ['ENOENT', 'EIO'].includes(errorCode(error));
      if (!isLost) throw error;
      return (await place.remake()).find(term);
    }
  }
}
