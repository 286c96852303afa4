/**
 * The index of a sealed segment as readers keep it: the offset table in memory, the terms in their
 * file. A look-up reads one bucket, so a thousand segments can be asked without holding a thousand
 * indexes.
 */
import type { Disk } from '../disk/disk.js';
import type { OpenFiles } from '../disk/open-files.js';
import { readUpTo } from '../disk/whole-file.js';
import { findStored, hashTerm } from './key-index.js';
import type { OffsetIndex, StoredKeys } from './segment-index.js';

/** What finds a record in one segment. */
export interface RecordFinder {
  readonly offsets: OffsetIndex;
  /** Bytes of memory that it holds. */
  readonly byteLength: number;
  /** Offsets, relative to the segment's base and rising, of records that may carry `term`. */
  find(term: string): number[] | Promise<number[]>;
}

/**
 * One that does not read back has no object of this class: `SegmentReader.indexOf` makes it again
 * from the records. A file that is damaged later makes `find` reject, or miss.
 */
export class StoredIndex implements RecordFinder {
  /** `keys` and `offsets` are of the file at `path`, which was read whole and found intact. */
  constructor(
    private readonly disk: Disk,
    private readonly openFiles: OpenFiles,
    private readonly path: string,
    private readonly keys: StoredKeys,
    readonly offsets: OffsetIndex,
  ) {}

  get byteLength(): number {
    return this.offsets.byteLength;
  }

  find(term: string): Promise<number[]> {
    const { start, bucketCount } = this.keys;
    return this.openFiles.use(this.path, (file) =>
      findStored(hashTerm(term), bucketCount, ({ position, length }) =>
        readUpTo(this.disk, file, start + position, length),
      ),
    );
  }
}
