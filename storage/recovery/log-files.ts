/** Access to the segment files of one log while it is opened: reads, scans, reports of damage. */
import type { FileHandle } from '../disk/disk.js';
import type { StoreFiles } from '../disk/store-files.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import { segmentHeaderLength } from '../format/segment-format.js';
import type { ManifestLog } from '../manifest/manifest.js';
import type { Offset } from '../offsets/offset.js';
import { Segment } from '../segment/segment.js';
import { type ScannedSegment, scanSegment } from '../segment/segment-scan.js';

/**
 * One per log, during recovery. A file that cannot be opened or read, for another reason than that
 * it is missing, rejects with the disk's error.
 */
export class LogFiles {
  /** Bytes of the segments scanned so far. */
  scannedBytes = 0;

  constructor(
    private readonly store: StoreFiles,
    private readonly log: ManifestLog,
    private readonly logTag: number,
  ) {}

  /** Scans a segment from its start, up to `limit` if given. */
  async scan(number: number, limit?: number): Promise<ScannedSegment> {
    const { store, log, logTag } = this;
    try {
      const scanned = await scanSegment(store, { id: log.id, logTag }, number, limit);
      this.scannedBytes += scanned.size;
      return scanned;
    } catch (error) {
      throw this.unreadable(new Segment(log.id, number), error);
    }
  }

  /** Bytes of a segment's file; a missing file is damage. */
  async size(segment: Segment): Promise<number> {
    const { disk, directory } = this.store;
    try {
      return await disk.sizeAt(directory.segment(this.log.id, segment.number));
    } catch (error) {
      throw this.unreadable(segment, error);
    }
  }

  /** Runs `use` with a segment's file; a missing file is damage. */
  async read<T>(segment: Segment, use: (file: FileHandle) => Promise<T>): Promise<T> {
    const path = this.store.directory.segment(this.log.id, segment.number);
    try {
      return await this.store.openFiles.use(path, use);
    } catch (error) {
      throw this.unreadable(segment, error);
    }
  }

  /** The error if the bytes from the segment's intact end to `to` are not what was acknowledged. */
  damaged(segment: Segment, lastGood: Offset, reason: string, to = segment.end): DamagedData {
    const from = Math.max(segment.end, segmentHeaderLength);
    return new DamagedData(
      {
        file: this.store.directory.segment(this.log.id, segment.number),
        from: Math.min(from, to),
        to,
        lastGoodOffset: lastGood < this.log.startOffset ? null : lastGood,
      },
      reason,
    );
  }

  private unreadable(segment: Segment, error: unknown): unknown {
    if (errorCode(error) !== 'ENOENT') return error;
    return this.damaged(segment, segment.baseOffset - 1, 'the file is missing');
  }
}
