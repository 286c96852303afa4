/** Reads one segment: its batches in order, the damage between them, its index. */
import { readWhole } from '../disk/whole-file.js';
import { DamagedData, DamagedOffsets, errorCode } from '../faults/storage-errors.js';
import { BatchScan, type ScannedBatch } from '../format/batch-scan.js';
import { segmentHeaderLength } from '../format/segment-format.js';
import type { IndexCache } from '../index/index-cache.js';
import { addRecordTerms } from '../index/record-terms.js';
import { SegmentIndex, storedKeysOf } from '../index/segment-index.js';
import { type RecordFinder, StoredIndex } from '../index/stored-index.js';
import type { LongBatches } from './long-batches.js';
import { largeChunkBytes, smallChunkBytes } from './read-budget.js';
import type { DamagedSpan, Segment } from './segment.js';
import { damagedOffsets, findDamage, type IsolatingStore, unreadReason } from './segment-damage.js';

/**
 * A segment changed while it was being read: it was trimmed or replaced, or some of it is now known
 * to be damaged. The reader has to read again.
 */
export class SegmentChanged extends Error {}

/** Which bytes of a segment to read: [position, limit), and how many at a time. */
export interface SegmentRange {
  readonly position: number;
  readonly limit: number;
  readonly chunkBytes: number;
}

/** Receives batches in order, until it returns false. */
type Visit = (batches: ScannedBatch[]) => boolean | Promise<boolean>;

/** The store of a log whose segments are read. */
export interface ReadStore extends IsolatingStore {
  readonly indexes: IndexCache;
  readonly longBatches: LongBatches;
}

/** The log whose segments are read. */
export interface ReadLog {
  readonly id: number;
  readonly name: string;
  readonly logTag: number;
}

/**
 * One per open log, over the list of its segments, which changes meanwhile. Reads hold no lock: if
 * a segment was rewritten or removed meanwhile, a read rejects with `SegmentChanged`, and the
 * caller reads again.
 */
export class SegmentReader {
  private isReleased = false;
  /** By segment: one search serves all readers that met a fault. */
  private readonly searches = new Map<Segment, Promise<void>>();
  private readonly remaking = new Map<Segment, Promise<RecordFinder>>();

  constructor(
    private readonly store: ReadStore,
    private readonly log: ReadLog,
    readonly segments: readonly Segment[],
  ) {}

  /**
   * Passes the batches of a range to `visit` until it returns false. At a damaged span `pass`
   * decides whether to continue behind it; without `pass` the damage is thrown. In every log,
   * damage that is met is searched for its ends, so that everything around it can be read: only
   * opening is stricter. Rejects with `SegmentChanged`, or with `DamagedData`.
   */
  async scan(
    segment: Segment,
    { position, limit, chunkBytes }: SegmentRange,
    visit: Visit,
    pass: (span: DamagedSpan) => boolean = (span) => this.refuse(segment, span),
  ): Promise<void> {
    const { damages } = segment;
    try {
      for (let at = position; at < limit; ) {
        const span = damages.find(({ start, end }) => start < limit && end > at);
        const range = { position: at, limit: span?.start ?? limit, chunkBytes };
        if (at < range.limit && !(await this.scanIntact(segment, range, visit))) return;
        if (span === undefined) return;
        if (await this.isReadAgain(segment, span)) throw new SegmentChanged();
        if (!pass(span)) return;
        at = span.end;
      }
    } catch (error) {
      throw (await this.hasChanged(segment, damages, error)) ? new SegmentChanged() : error;
    }
  }

  /** Passes every batch of a segment chunk by chunk; rejects at the first that is not intact. */
  whole(segment: Segment, chunkBytes: number, visit: Visit): Promise<void> {
    return this.scan(segment, { ...everything(segment), chunkBytes }, visit);
  }

  /** Reads every batch of a segment, unless it is removed meanwhile; rejects with `DamagedData`. */
  async verify(segment: Segment): Promise<void> {
    try {
      await this.whole(segment, largeChunkBytes, () => true);
    } catch (error) {
      if (!(error instanceof SegmentChanged)) throw error;
      if (this.segments.includes(segment)) await this.verify(segment);
    }
  }

  /** The index of a segment: from its file, or rebuilt. */
  async indexOf(segment: Segment): Promise<RecordFinder> {
    if (segment.index !== null) return segment.index;
    const { store, log } = this;
    const path = store.directory.index(log.id, segment.number);
    const cached = store.indexes.get(path);
    if (cached !== undefined) return cached;
    const bytes = await readWhole(store.disk, path).catch(() => null);
    const place = { logTag: log.logTag, number: segment.number, segment };
    const read = bytes === null ? null : SegmentIndex.decode(bytes, place);
    if (bytes === null || read === null) return this.remakeIndex(segment, path);
    const { disk, openFiles } = store;
    const remake = () => this.remakeIndex(segment, path);
    const stored = { disk, openFiles, path, remake };
    const index = new StoredIndex(stored, storedKeysOf(bytes), read.offsets);
    store.indexes.set(path, index);
    return index;
  }

  /** The files are being removed: from now on a missing file is not damage. */
  release(): void {
    this.isReleased = true;
  }

  /** Throws the error for a damaged span. */
  refuse(segment: Segment, span: DamagedSpan): never {
    throw damagedOffsets(this.store, this.log, this.segments, segment, span);
  }

  /** Passes the batches of a range without known damage to `visit`; false if it returned false. */
  private scanIntact(
    segment: Segment,
    { position, limit, chunkBytes }: SegmentRange,
    visit: Visit,
  ): Promise<boolean> {
    const { disk, directory, openFiles } = this.store;
    const { id, logTag } = this.log;
    const path = directory.segment(id, segment.number);
    // Those who read all of a segment want it from the disk, and once.
    const kept = chunkBytes < largeChunkBytes ? this.store.longBatches : undefined;
    return openFiles.use(path, async (file) => {
      const range = { disk, file, position, limit, logTag, chain: null, chunkBytes, kept, path };
      const scan = new BatchScan(range);
      let lastGoodOffset = segment.baseOffset - 1;
      for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
        lastGoodOffset = (batches.at(-1)?.header.nextOffset ?? 0) - 1;
        if (!(await visit(batches))) return false;
      }
      if (scan.position >= limit) return true;
      const good = lastGoodOffset < 0 ? null : lastGoodOffset;
      throw new DamagedData(
        { file: path, from: scan.position, to: limit, lastGoodOffset: good },
        scan.fault ?? 'the file ends too early',
      );
    });
  }

  /** Whether another read may have another result; `known` is the damage known to the reader. */
  private async hasChanged(
    segment: Segment,
    known: Segment['damages'],
    error: unknown,
  ): Promise<boolean> {
    if (!this.segments.includes(segment)) return true;
    if (this.isReleased || !isNewDamage(error)) return false;
    if (segment.damages === known) await this.search(segment);
    return segment.damages !== known;
  }

  /** Whether the disk now reads some of what it did not read before: no longer damage. */
  private async isReadAgain(segment: Segment, span: DamagedSpan): Promise<boolean> {
    if (span.reason !== unreadReason) return false;
    const known = segment.damages;
    const range = { position: span.start, limit: span.end, chunkBytes: smallChunkBytes };
    const isRead = await this.scanIntact(segment, range, () => false).then(
      () => true,
      () => false,
    );
    if (isRead) await this.search(segment);
    return segment.damages !== known;
  }

  private search(segment: Segment): Promise<void> {
    const searching =
      this.searches.get(segment) ??
      this.searchOnce(segment).finally(() => this.searches.delete(segment));
    this.searches.set(segment, searching);
    return searching;
  }

  private async searchOnce(segment: Segment): Promise<void> {
    const { store, log, segments } = this;
    const before = new Set(segment.damages.map((span) => JSON.stringify(span)));
    const found = await findDamage(store, log, segment);
    const fresh = found.filter((span) => !before.has(JSON.stringify(span)));
    const isHere = !this.isReleased && segments.includes(segment);
    const isSame = fresh.length === 0 && found.length === before.size;
    if (isSame || !isHere) return;
    segment.damages = found;
    // An index that was built around damage records what could not be read.
    store.indexes.delete(store.directory.index(log.id, segment.number));
    for (const span of fresh) {
      store.damaged(damagedOffsets(store, log, segments, segment, span));
    }
  }

  /** Rebuilds the index of a segment from its records, once for all simultaneous callers. */
  private remakeIndex(segment: Segment, path: string): Promise<RecordFinder> {
    const remaking =
      this.remaking.get(segment) ??
      this.remakeOnce(segment, path).finally(() => this.remaking.delete(segment));
    this.remaking.set(segment, remaking);
    return remaking;
  }

  private async remakeOnce(segment: Segment, path: string): Promise<RecordFinder> {
    const { indexes, openFiles } = this.store;
    const index = await this.rebuiltIndex(segment);
    indexes.set(path, index);
    await openFiles.forget(path);
    return index;
  }

  private async rebuiltIndex(segment: Segment): Promise<RecordFinder> {
    const index = new SegmentIndex();
    const { baseOffset, maxTimestamp } = segment;
    let lost: DamagedSpan | null = null;
    const range = { ...everything(segment), chunkBytes: largeChunkBytes };
    const add = (batches: ScannedBatch[]) => {
      for (const { header, body, position } of batches) {
        index.addBatch(header, header.baseOffset - baseOffset, position);
        addRecordTerms(index, body, header.baseOffset, baseOffset);
      }
      return true;
    };
    await this.scan(segment, range, add, (span) => {
      // As if the span held the latest time: a search for a time cannot pass it unnoticed.
      index.addBatch({ maxTimestamp }, span.from - baseOffset, span.start);
      lost = span;
      return true;
    });
    if (lost === null) return index;
    const { offsets, byteLength } = index;
    // The terms of the damaged span are not known: "not found" would be a guess.
    const refuse = this.refuse.bind(this, segment, lost);
    return { offsets, byteLength, find: refuse, findAny: refuse };
  }
}

function everything({ end }: Segment) {
  return { position: segmentHeaderLength, limit: end };
}

/** Whether an error of a read is new damage: segments are written elsewhere. */
function isNewDamage(error: unknown): boolean {
  if (error instanceof DamagedOffsets) return false;
  return error instanceof DamagedData || ['ENOENT', 'EIO'].includes(errorCode(error));
}
