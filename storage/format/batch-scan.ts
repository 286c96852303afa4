/** Reads the batches of a segment file one after another; says where and why it stopped. */
import type { Disk, FileHandle } from '../disk/disk.js';
import { readUpTo } from '../disk/whole-file.js';
import {
  type BatchHeader,
  batchHeaderLength,
  batchLength,
  bodyFault,
  decodeBatchHeader,
} from './record-batch.js';

/** A batch that is intact and in its right place. */
export interface ScannedBatch {
  readonly header: BatchHeader;
  /** A view of the scan's chunk, which is never written again. */
  readonly body: Buffer;
  readonly position: number;
}

/** A batch that is longer than one read of the file. */
export interface LongBatch {
  readonly length: number;
  readonly bytes: Promise<Buffer>;
  /** Whether its checksums are known to match. */
  isIntact: boolean;
}

/** Keeps long batches for other scans, by the path of their file and their position in it. */
export interface KeptBatches {
  /** The batch of this name, read by `read` unless it is kept. */
  of(name: string, length: number, read: () => Promise<Buffer>): LongBatch;
  /** What was kept under this name is no intact batch. */
  forget(name: string): void;
}

/** Where to scan: bytes [position, limit) of an open segment file. */
export interface ScanRange {
  readonly disk: Disk;
  readonly file: FileHandle;
  readonly position: number;
  readonly limit: number;
  readonly logTag: number;
  /** The header checksum of the batch before `position`; null for a scan from the middle. */
  readonly chain: number | null;
  /** Bytes read at a time. */
  readonly chunkBytes: number;
  /** Absent = every batch is read from the file. */
  readonly kept?: KeptBatches | undefined;
  /** The path of the file; only needed with `kept`. */
  readonly path?: string;
}

/** One pass over a range. `next()` returns batches chunk by chunk until none are left. */
export class BatchScan {
  /** Bytes before this have been returned as batches. */
  position: number;
  /** Why the scan stopped before its limit; null if it has not. */
  fault: string | null = null;
  /** Where a first look found a fault: it counts only if a second look finds it, too. */
  private doubted = -1;
  private previous: BatchHeader | null = null;
  private chain: number | null;

  constructor(private readonly range: ScanRange) {
    this.position = range.position;
    this.chain = range.chain;
  }

  /** The next batches; none at the limit or at a fault. */
  async next(): Promise<ScannedBatch[]> {
    for (;;) {
      const batches = await this.look();
      if (this.fault === null || this.doubted === this.position) return batches;
      this.doubted = this.position;
      this.fault = null;
      if (batches.length > 0) return batches;
    }
  }

  private async look(): Promise<ScannedBatch[]> {
    if (this.fault !== null || this.position >= this.range.limit) return [];
    let wanted = Math.min(this.range.chunkBytes, this.range.limit - this.position);
    for (;;) {
      const { disk, file } = this.range;
      const chunk = await readUpTo(disk, file, this.position, wanted);
      const batches: ScannedBatch[] = [];
      const missing = this.decode(chunk, batches);
      if (batches.length > 0 || this.fault !== null) return batches;
      if (missing === 0) return [];
      if (wanted >= missing) {
        this.fault = 'the file ends inside a record batch';
        return [];
      }
      const { kept } = this.range;
      if (kept !== undefined) return this.lookLong(kept, missing);
      wanted = missing;
    }
  }

  /** The next batch, which is `length` bytes long. */
  private async lookLong(kept: KeptBatches, length: number): Promise<ScannedBatch[]> {
    const { position } = this;
    const { disk, file, path } = this.range;
    const name = `${path}:${position}`;
    const long = kept.of(name, length, () => readUpTo(disk, file, position, length));
    const batches: ScannedBatch[] = [];
    const missing = this.decode(await long.bytes, batches, long.isIntact);
    if (missing > 0) this.fault = 'the file ends inside a record batch';
    long.isIntact = batches.length > 0;
    if (!long.isIntact) kept.forget(name);
    return batches;
  }

  /**
   * Decodes the whole batches in `chunk`, whose bodies may be known to be intact; returns how many
   * bytes the next batch needs, or 0.
   */
  private decode(chunk: Buffer, batches: ScannedBatch[], areIntact = false): number {
    const start = this.position;
    for (;;) {
      const at = this.position - start;
      const left = this.range.limit - this.position;
      if (left <= 0) return 0;
      if (at + batchHeaderLength > chunk.length) return Math.min(batchHeaderLength, left);
      const header = decodeBatchHeader(chunk, at);
      this.fault = header === null ? 'no intact batch header' : this.misplaced(header);
      if (header === null || this.fault !== null) return 0;
      const length = batchLength(header.bodyLength);
      if (length > left) {
        this.fault = 'a record batch reaches beyond the end of the data';
        return 0;
      }
      if (at + length > chunk.length) return length;
      const bodyStart = at + batchHeaderLength;
      this.fault = areIntact ? null : bodyFault(chunk, bodyStart, header);
      if (this.fault !== null) return 0;
      const body = chunk.subarray(bodyStart, bodyStart + header.bodyLength);
      batches.push({ header, body, position: this.position });
      this.position += length;
      this.previous = header;
      this.chain = header.headerChecksum;
    }
  }

  /** Why an intact header does not belong here; null if it does. */
  private misplaced(header: BatchHeader): string | null {
    const { previous } = this;
    if (header.filePosition !== this.position) return 'a record batch of another place';
    if (header.logTag !== this.range.logTag) return 'a record batch of another log';
    if (this.chain !== null && header.previousChecksum !== this.chain) {
      return 'a record batch that does not follow the one before it';
    }
    if (previous === null) return null;
    if (header.epoch < previous.epoch || header.baseOffset < previous.nextOffset) {
      return 'a record batch older than the one before it';
    }
    return null;
  }
}
