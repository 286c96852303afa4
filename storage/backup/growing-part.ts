/** The part of an unsealed segment, or of one sealed too late, that belongs in a copy. */
import type { Disk, FileHandle } from '../disk/disk.js';
import { readUpTo, withFile, writeFully } from '../disk/whole-file.js';
import { BatchScan } from '../format/batch-scan.js';
import {
  type BatchHeader,
  batchEnd,
  batchHeaderLength,
  decodeBatchHeader,
} from '../format/record-batch.js';
import {
  decodeSegmentHeader,
  type SegmentHeader,
  segmentHeaderLength,
} from '../format/segment-format.js';
import type { Offset } from '../offsets/offset.js';
import { SourceChanged } from './source.js';

const chunkBytes = 256 * 1024;

/** A growing segment as far as it was read: its intact batches up to a time. */
export class GrowingPart {
  /** Null until its first batch is written. */
  header: SegmentHeader | null = null;
  /** The position where its batches end; 0 if there is none. */
  end = 0;
  /** A batch behind the end was appended too late for the copy. */
  isPassed = false;
  private last: BatchHeader | null = null;

  constructor(
    private readonly disk: Disk,
    readonly path: string,
    private readonly logTag: number,
  ) {}

  /** The offset after its last batch; null if there is none. */
  get nextOffset(): Offset | null {
    return this.last?.nextOffset ?? null;
  }

  /** When its last batch was appended, Unix ms; -Infinity if there is none. */
  get latestTime(): number {
    return this.last?.appendTime ?? Number.NEGATIVE_INFINITY;
  }

  /** Reads further batches: those appended by `time` that end within the first `limit` bytes. */
  async readOn(time: number, limit: number): Promise<void> {
    if (this.isPassed) return;
    await withFile(this.disk, this.path, 'read', async (file) => {
      await this.requireSame(file);
      this.header ??= decodeSegmentHeader(await readUpTo(this.disk, file, 0, segmentHeaderLength));
      if (this.header === null) return;
      const scan = new BatchScan({
        disk: this.disk,
        file,
        position: this.last === null ? segmentHeaderLength : this.end,
        limit: Math.min(limit, await this.disk.size(file)),
        logTag: this.logTag,
        chain: this.last?.headerChecksum ?? this.header.chainSeed,
        chunkBytes,
      });
      for (let found = await scan.next(); found.length > 0; found = await scan.next()) {
        for (const { header } of found) {
          this.isPassed = header.appendTime > time;
          if (this.isPassed) return;
          this.last = header;
          this.end = batchEnd(header);
        }
      }
    });
  }

  /** Durably writes the part that was read to a file of the copy. */
  async copyTo(path: string): Promise<void> {
    const { disk } = this;
    await withFile(disk, this.path, 'read', async (file) => {
      await copyBytes(disk, file, path, this.end);
      await this.requireSame(file);
    });
  }

  /**
   * Throws if the batches have changed: a group that found no room is cut off, and others take its
   * place. The last batch confirms all earlier ones, by the checksums that link them.
   */
  private async requireSame(file: FileHandle): Promise<void> {
    const { last } = this;
    if (last === null) return;
    const bytes = await readUpTo(this.disk, file, last.filePosition, batchHeaderLength);
    if (decodeBatchHeader(bytes, 0)?.headerChecksum === last.headerChecksum) return;
    throw new SourceChanged('batches were cut off');
  }
}

/** Copies the first `length` bytes of a file to a new file, and syncs that. */
export async function copyBytes(
  disk: Disk,
  from: FileHandle,
  path: string,
  length: number,
): Promise<void> {
  await disk.remove(path).catch(() => undefined);
  await withFile(disk, path, 'create', async (to) => {
    for (let position = 0; position < length; ) {
      const chunk = await readUpTo(disk, from, position, Math.min(chunkBytes, length - position));
      if (chunk.length === 0) throw new SourceChanged('a file is shorter than it was');
      await writeFully(disk, to, chunk, position);
      position += chunk.length;
    }
    await disk.sync(to);
  });
}
