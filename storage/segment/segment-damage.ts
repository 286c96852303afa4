/** Finds which parts of a segment do not read back, batch by batch, through all of it. */
import type { Disk, FileHandle } from '../disk/disk.js';
import type { StoreFiles } from '../disk/store-files.js';
import { aroundUnreadable } from '../disk/unreadable-pages.js';
import { type DamagedData, DamagedOffsets, errorCode } from '../faults/storage-errors.js';
import { BatchScan, type ScannedBatch } from '../format/batch-scan.js';
import { batchLength } from '../format/record-batch.js';
import { type SegmentEnd, segmentHeaderLength } from '../format/segment-format.js';
import type { Offset, OffsetRange } from '../offsets/offset.js';
import type { DamagedSpan, Segment } from './segment.js';
import { headersIn } from './segment-scan.js';

const chunkBytes = 1024 * 1024;

/** The store of a log that may isolate damage. */
export interface IsolatingStore extends StoreFiles {
  /** Whether the log of this name isolates damage: only the damaged offsets cannot be read. */
  isolatesDamage(logName: string): boolean;
  /** Reports damage that a log isolates to the owner of the store. */
  damaged(damage: DamagedData): void;
}

/**
 * Reads all of a segment; returns the spans between its intact batches, in order. Bytes that the
 * disk cannot read count as damage, too.
 */
export async function findDamage(
  { disk, directory, openFiles }: StoreFiles,
  log: { readonly id: number; readonly logTag: number },
  segment: Segment,
): Promise<readonly DamagedSpan[]> {
  const { number } = segment;
  // A copy of the end, as the segment may grow meanwhile.
  const end = segment.toEnd();
  try {
    return await openFiles.use(directory.segment(log.id, number), async (file) => {
      const search = new DamageSearch(disk, file, log.logTag, end);
      await search.readAll();
      return search.spans();
    });
  } catch (error) {
    const reason = unopenedReason(error);
    if (reason === null) throw error;
    const { baseOffset: from, nextOffset: until } = end;
    return [{ start: segmentHeaderLength, end: end.end, from, until, reason }];
  }
}

/** Why a file that could not be opened is damaged as a whole; null if it is not. */
function unopenedReason(error: unknown): string | null {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'the file is missing';
  return code === 'EIO' ? unreadReason : null;
}

/** Why a file, or a part of it, is damaged: the only damage that may go away by itself. */
export const unreadReason = 'the disk does not read it';

/**
 * Handles damage found in a segment: throws `damage`, or, in a log that isolates damage, finds out
 * what can be read and reports the rest to the owner of the store.
 */
export async function isolateDamage(
  store: IsolatingStore,
  { log, logTag, segments }: IsolatingLog,
  segment: Segment,
  damage: DamagedData,
): Promise<void> {
  if (!store.isolatesDamage(log.name)) throw damage;
  segment.damages = await findDamage(store, { id: log.id, logTag }, segment);
  // If every batch is intact nevertheless, only a header or footer is damaged: nothing is lost.
  if (segment.damages.length === 0) store.damaged(damage);
  for (const span of segment.damages) {
    store.damaged(damagedOffsets(store, log, [...segments, segment], segment, span));
  }
}

/** The log of a segment, as far as it was opened. */
interface IsolatingLog {
  readonly log: { readonly id: number; readonly name: string };
  readonly logTag: number;
  /** The segments before it. */
  readonly segments: readonly Segment[];
}

/** The ranges of a log's segments that cannot be read; adjacent ranges are joined. */
export function damagedRanges(segments: readonly Segment[]): OffsetRange[] {
  const ranges: OffsetRange[] = [];
  for (const { from, until } of segments.flatMap(({ damages }) => damages)) {
    const last = ranges.at(-1);
    if (last?.until === from) ranges[ranges.length - 1] = { from: last.from, until };
    else ranges.push({ from, until });
  }
  return ranges;
}

/** The error for a reader of a damaged span. */
export function damagedOffsets(
  { directory }: StoreFiles,
  log: { readonly id: number; readonly name: string },
  segments: readonly Segment[],
  segment: Segment,
  { start, end, from, until, reason }: DamagedSpan,
): DamagedOffsets {
  const file = directory.segment(log.id, segment.number);
  const around = damagedRanges(segments).find((range) => range.from <= from && from < range.until);
  const offsets = around ?? { from, until };
  const isFirst = offsets.from <= (segments[0] ?? segment).baseOffset;
  const lastGoodOffset = isFirst ? null : offsets.from - 1;
  return new DamagedOffsets(
    { file, from: start, to: end, lastGoodOffset },
    reason,
    log.name,
    offsets,
  );
}

/** Intact batches in a row, each confirmed by the checksum in the next one. */
interface Run {
  readonly start: number;
  readonly baseOffset: Offset;
  /** The checksum that its first batch states for the batch before it. */
  readonly link: number;
  end: number;
  nextOffset: Offset;
  lastChecksum: number;
  /** Where it ends without its last batch; null if it has only one. */
  shorter: { readonly end: number; readonly nextOffset: Offset } | null;
}

class DamageSearch {
  private readonly runs: Run[] = [];
  private readonly faults: { readonly position: number; readonly reason: string }[] = [];

  private readonly disk: Disk;

  constructor(
    disk: Disk,
    private readonly file: FileHandle,
    private readonly logTag: number,
    private readonly segment: SegmentEnd,
  ) {
    this.disk = aroundUnreadable(disk, (position) => {
      this.faults.push({ position, reason: unreadReason });
    });
  }

  async readAll(): Promise<void> {
    for (let position = segmentHeaderLength; position < this.segment.end; ) {
      const end = await this.readRun(position);
      position = end > position ? end : await this.nextHeader(position);
    }
  }

  /** The spans that no intact batch covers. */
  spans(): DamagedSpan[] {
    const { segment } = this;
    const spans: DamagedSpan[] = [];
    let [start, from] = [segmentHeaderLength, segment.baseOffset];
    const close = (end: number, until: Offset) => {
      if (start < end) spans.push({ start, end, from, until, reason: this.reasonAt(start, end) });
    };
    for (const run of this.confirmed()) {
      close(run.start, run.baseOffset);
      [start, from] = [run.end, run.nextOffset];
    }
    close(segment.end, segment.nextOffset);
    return spans;
  }

  /** Reads from a batch to the next fault; returns where that is. */
  private async readRun(position: number): Promise<number> {
    const { disk, file, logTag, segment } = this;
    const limit = segment.end;
    const scan = new BatchScan({ disk, file, position, limit, logTag, chain: null, chunkBytes });
    let run: Run | null = null;
    for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
      for (const batch of batches) run = this.extended(run, batch);
    }
    if (scan.position < limit) {
      this.faults.push({
        position: scan.position,
        reason: scan.fault ?? 'the file ends too early',
      });
    }
    return scan.position;
  }

  /** The run with the next batch added; null if the batch has offsets outside of the segment. */
  private extended(run: Run | null, { header, position }: ScannedBatch): Run | null {
    const { baseOffset, nextOffset, headerChecksum, previousChecksum, bodyLength } = header;
    if (baseOffset < this.segment.baseOffset || nextOffset > this.segment.nextOffset) return null;
    const end = position + batchLength(bodyLength);
    if (run === null) {
      const first = { start: position, baseOffset, link: previousChecksum, shorter: null };
      const fresh = { ...first, end, nextOffset, lastChecksum: headerChecksum };
      this.runs.push(fresh);
      return fresh;
    }
    run.shorter = { end: run.end, nextOffset: run.nextOffset };
    run.end = end;
    run.nextOffset = nextOffset;
    run.lastChecksum = headerChecksum;
    return run;
  }

  /** Where to continue after a batch that is not intact; its own header may say. */
  private async nextHeader(position: number): Promise<number> {
    const { disk, file, logTag, segment } = this;
    for await (const found of headersIn(disk, file, position, segment.end, logTag)) {
      if (found.filePosition > position) return found.filePosition;
      const behind = position + batchLength(found.bodyLength);
      if (behind <= segment.end) return behind;
    }
    return segment.end;
  }

  /**
   * The runs without batches that contradict what follows: the next batch confirms each batch, the
   * manifest the last one. So intact batches of another history are recognised.
   */
  private confirmed(): readonly Run[] {
    const kept: Run[] = [];
    let behind: Pick<Run, 'start' | 'baseOffset' | 'link'> = {
      start: this.segment.end,
      baseOffset: this.segment.nextOffset,
      link: this.segment.lastChecksum,
    };
    for (const run of this.runs.toReversed()) {
      if (run.nextOffset > behind.baseOffset) continue;
      const isContradicted = run.end === behind.start && run.lastChecksum !== behind.link;
      if (isContradicted && run.shorter === null) continue;
      kept.unshift(isContradicted ? { ...run, ...run.shorter } : run);
      behind = run;
    }
    return kept;
  }

  private reasonAt(start: number, end: number): string {
    const inside = this.faults.filter(({ position }) => position >= start && position < end);
    // If bytes were not read, faults found in the filler in their place mean nothing.
    const fault = inside.find(({ reason }) => reason === unreadReason) ?? inside[0];
    return fault?.reason ?? 'a record batch of another history of this log';
  }
}
