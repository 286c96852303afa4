/** Reading one segment: its batches in order, the damage between them, what finds a record. */
import { readWhole } from '../disk/whole-file.js';
import { DamagedData, DamagedOffsets, errorCode } from '../faults/storage-errors.js';
import { BatchScan, type ScannedBatch } from '../format/batch-scan.js';
import { segmentHeaderLength } from '../format/segment-format.js';
import type { IndexCache } from '../index/index-cache.js';
import { addRecordTerms } from '../index/record-terms.js';
import { SegmentIndex, storedKeysOf } from '../index/segment-index.js';
import { type RecordFinder, StoredIndex } from '../index/stored-index.js';
import { largeChunkBytes, smallChunkBytes } from './read-budget.js';
import type { DamagedSpan, Segment } from './segment.js';
import { damagedOffsets, findDamage, type IsolatingStore, unreadReason } from './segment-damage.js';

/**
 * A segment that was being read is not what it was: it was trimmed, another replaced it, or some of
 * it is known to be damaged now. Who was reading reads again.
 */
export class SegmentChanged extends Error {}

/** Which bytes of a segment are read: [position, limit), so many at a time. */
export interface SegmentRange {
  readonly position: number;
  readonly limit: number;
  readonly chunkBytes: number;
}

/** Is given batches in order, until it answers false. */
type Visit = (batches: ScannedBatch[]) => boolean | Promise<boolean>;

/** The store of a log whose segments are read. */
export interface ReadStore extends IsolatingStore {
  readonly indexes: IndexCache;
}

/** The log whose segments are read. */
export interface ReadLog {
  readonly id: number;
  readonly name: string;
  readonly logTag: number;
}

/**
 * One for each open log, over the list of its segments, which changes under it. Reads hold no lock:
 * a segment that was rewritten or removed meanwhile rejects with `SegmentChanged`, and is read
 * anew.
 */
export class SegmentReader {
  private isReleased = false;
  /** By segment: one search serves all who have met a fault. */
  private readonly searches = new Map<Segment, Promise<void>>();
  private readonly remaking = new Map<Segment, Promise<RecordFinder>>();

  constructor(
    private readonly store: ReadStore,
    private readonly log: ReadLog,
    readonly segments: readonly Segment[],
  ) {}

  /**
   * Gives `visit` the batches of a range until it answers false. At a damaged span `pass` says
   * whether to go on behind it; without one that is thrown. Damage that is met is searched for its
   * ends, in every log, so that what lies around it can be read: only opening is stricter. Rejects
   * with `SegmentChanged`, or with `DamagedData`.
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

  /** Every batch of a segment, by the chunk; rejects at the first that is not intact. */
  whole(segment: Segment, chunkBytes: number, visit: Visit): Promise<void> {
    return this.scan(segment, { ...everything(segment), chunkBytes }, visit);
  }

  /** Reads every batch of a segment, unless it goes meanwhile; rejects with `DamagedData`. */
  async verify(segment: Segment): Promise<void> {
    try {
      await this.whole(segment, largeChunkBytes, () => true);
    } catch (error) {
      if (!(error instanceof SegmentChanged)) throw error;
      if (this.segments.includes(segment)) await this.verify(segment);
    }
  }

  /** What finds the records of a segment: from its file, or made again. */
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

  /** The files are being removed: what is missing of them from now on is no damage. */
  release(): void {
    this.isReleased = true;
  }

  /** Throws what tells of a damaged span. */
  refuse(segment: Segment, span: DamagedSpan): never {
    throw damagedOffsets(this.store, this.log, this.segments, segment, span);
  }

  /** Gives `visit` what lies in a range without known damage; false = it has answered false. */
  private scanIntact(
    segment: Segment,
    { position, limit, chunkBytes }: SegmentRange,
    visit: Visit,
  ): Promise<boolean> {
    const { disk, directory, openFiles } = this.store;
    const { id, logTag } = this.log;
    const path = directory.segment(id, segment.number);
    return openFiles.use(path, async (file) => {
      const scan = new BatchScan({ disk, file, position, limit, logTag, chain: null, chunkBytes });
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

  /** Whether reading again may end otherwise; `known` is the damage that the reader knew of. */
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

  /** Whether some of what the disk did not read before is read by now: no damage any more. */
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
    // One that was made around damage says what could not be read.
    store.indexes.delete(store.directory.index(log.id, segment.number));
    for (const span of fresh) {
      store.damaged(damagedOffsets(store, log, segments, segment, span));
    }
  }

  /** Makes the index of a segment from its records, once for all who ask at the same time. */
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
      // As if it held the latest time: a search for one does not get past it unawares.
      index.addBatch({ maxTimestamp }, span.from - baseOffset, span.start);
      lost = span;
      return true;
    });
    if (lost === null) return index;
    const { offsets, byteLength } = index;
    // Which terms stood there is not known: "not found" would be a guess.
    return { offsets, byteLength, find: this.refuse.bind(this, segment, lost) };
  }
}

function everything({ end }: Segment) {
  return { position: segmentHeaderLength, limit: end };
}

/** The code is that of a read: a segment is written to elsewhere. */
function isNewDamage(error: unknown): boolean {
  if (error instanceof DamagedOffsets) return false;
  return error instanceof DamagedData || ['ENOENT', 'EIO'].includes(errorCode(error));
}
