/** Opens one log: keeps what is proven durable, writes the rest again, reports damage. */
import { readWhole } from '../disk/whole-file.js';
import { DamagedData } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import { headerFault, type SegmentEnd } from '../format/segment-format.js';
import { SegmentIndex } from '../index/segment-index.js';
import type { ClosedLog, ManifestLog, ManifestSegment } from '../manifest/manifest.js';
import { Segment } from '../segment/segment.js';
import { isolateDamage } from '../segment/segment-damage.js';
import { endsAs, type ScannedSegment } from '../segment/segment-scan.js';
import { type DamagedSegment, endByEvidence, endByFollower, tailBehind } from './damaged-end.js';
import { LogFiles } from './log-files.js';
import type { LogEvidence, RecoveredLog, RecoveringStore } from './recovered-log.js';
import { keepUnparsed, type UnprovenTail, writeFreshSegment } from './rewrite-tail.js';
import { openSealed } from './sealed-segment.js';

/** Opens one log. Throws `DamagedData`; nothing has been changed then. */
export async function recoverLog(
  store: RecoveringStore,
  log: ManifestLog,
  evidence: LogEvidence,
): Promise<RecoveredLog> {
  return new LogRecovery(store, log, evidence).run();
}

class LogRecovery {
  readonly logTag: number;
  readonly files: LogFiles;
  readonly segments: Segment[] = [];
  private readonly toSeal: Segment[] = [];
  /** The remains of torn writes, to be kept aside: the manifest no longer lists them. */
  private readonly torn: UnprovenTail[] = [];
  /** Where the records end that the crash left; a gap may follow. */
  private recordsEnd = 0;

  constructor(
    private readonly store: RecoveringStore,
    readonly log: ManifestLog,
    private readonly evidence: LogEvidence,
  ) {
    this.logTag = logTagOf(store.storeId, log.id);
    this.files = new LogFiles(store, log, this.logTag);
  }

  async run(): Promise<RecoveredLog> {
    const open: ManifestSegment[] = [];
    for (const entry of this.log.segments) {
      const { number, end, digest } = entry;
      if (end === null) open.push(entry);
      else if (digest === null) await this.takeEnded(number, end);
      else this.push(await openSealed(this.store, this, { ...entry, end, digest }));
    }
    return this.evidence.wasClean ? this.afterCleanStop(open) : this.afterCrash(open);
  }

  /** Takes a complete segment whose sealing was interrupted. */
  private async takeEnded(number: number, end: SegmentEnd): Promise<void> {
    const scanned = await this.files.scan(number, end.end);
    this.pushToSeal(endsAs(scanned, end) ? scanned.segment : await this.isolated(scanned, end));
  }

  /** What can be read of a segment that was written to its known end and does not read back. */
  private async isolated(
    { header, segment, fault }: ScannedSegment,
    end: SegmentEnd,
  ): Promise<Segment> {
    const reason = header === null ? 'no intact segment header' : fault;
    const known = Segment.ended(this.log.id, segment.number, end);
    await isolateDamage(this.store, this, known, this.damaged(segment, reason, end.end));
    return known;
  }

  private async afterCleanStop(open: readonly ManifestSegment[]): Promise<RecoveredLog> {
    const { closed } = this.evidence;
    const [first, second] = open;
    for (const { number } of open) {
      if (number !== closed?.number) await this.files.size(new Segment(this.log.id, number));
    }
    if (closed === null) return this.recovered(null, first?.number ?? null, 0, 0);
    if (first?.number !== closed.number) {
      throw this.damaged(new Segment(this.log.id, closed.number), 'the manifest does not list it');
    }
    const growing = await this.takeClosed(closed);
    if (growing !== null) this.push(growing);
    return this.recovered(growing, second?.number ?? null, closed.end.end, closed.end.end);
  }

  /**
   * The growing segment of a clean stop: it is not read if its index is as it was left. If it is
   * damaged, nothing more is added to it: null.
   */
  private async takeClosed({ number, end }: ClosedLog): Promise<Segment | null> {
    const { store, log, logTag } = this;
    const segment = Segment.ended(log.id, number, end);
    const size = await this.files.size(segment);
    const bytes = await readWhole(store.disk, store.directory.index(log.id, number)).catch(
      () => null,
    );
    segment.index = bytes === null ? null : SegmentIndex.decode(bytes, { logTag, number, segment });
    if (segment.index !== null && size >= end.end) return segment;
    const scanned = await this.files.scan(number, end.end);
    if (endsAs(scanned, end)) return scanned.segment;
    this.pushToSeal(await this.isolated(scanned, end));
    return null;
  }

  /**
   * Reads every segment that may have been written to. The header of the next segment proves where
   * a segment ends; the watermark and its own batch headers prove it for the last one.
   */
  private async afterCrash(open: readonly ManifestSegment[]): Promise<RecoveredLog> {
    const scans: ScannedSegment[] = [];
    for (const { number } of open) scans.push(await this.files.scan(number));
    const isWritten = (scanned: ScannedSegment) =>
      scanned.segment.batchCount > 0 || this.provenEnd(scanned) > 0;
    let tail: ScannedSegment | null = null;
    const written = scans.findLastIndex(isWritten) + 1;
    for (const { segment, size } of scans.slice(written)) {
      this.torn.push({ number: segment.number, batches: [], end: 0, size });
    }
    for (const scanned of scans.slice(0, written)) {
      if (tail !== null) await this.takeComplete(tail, scanned);
      tail = scanned;
    }
    this.checkWatermarkIsListed(open);
    return tail === null ? this.afterEmptyTail(scans) : this.takeTail(tail);
  }

  private async takeComplete(scanned: ScannedSegment, follower: ScannedSegment): Promise<void> {
    const proven = Math.max(follower.header?.previousEnd ?? 0, this.provenEnd(scanned));
    if (scanned.segment.end >= proven) {
      this.checkFollows(scanned);
      this.pushToSeal(scanned.segment);
      return;
    }
    const end = await endByFollower(this.store, this.damagedPart(scanned), follower, proven);
    this.pushToSeal(await this.isolatedUpTo(scanned, end, proven));
  }

  /** See `isolated`; throws if nothing says where the offsets end. */
  private isolatedUpTo(
    scanned: ScannedSegment,
    end: SegmentEnd | null,
    proven: number,
  ): Promise<Segment> {
    const { header, segment, fault } = scanned;
    if (header !== null) this.checkFollows(scanned);
    if (end !== null) return this.isolated(scanned, end);
    const reason = header === null ? 'no intact segment header' : fault;
    throw this.damaged(segment, reason, proven);
  }

  private damagedPart(scanned: ScannedSegment): DamagedSegment {
    const before = this.segments.at(-1)?.nextOffset ?? this.log.startOffset;
    return { scanned, logTag: this.logTag, before };
  }

  /** For a log to which nothing was written since its last complete segment. */
  private async afterEmptyTail(scans: readonly ScannedSegment[]): Promise<RecoveredLog> {
    const fresh = await this.goOnAfresh(this.segments.at(-1) ?? null, null);
    if (scans.length > 0 || fresh !== null) await this.listOnly(this.segments, fresh);
    if (fresh !== null) this.push(fresh);
    return this.recovered(fresh, null, 0, 0);
  }

  private async takeTail(scanned: ScannedSegment): Promise<RecoveredLog> {
    const proven = this.provenEnd(scanned);
    const { old, tail } = await this.divided(scanned, proven);
    if (this.store.readOnly) {
      if (!old.isEmpty) this.push(old);
      return this.recovered(null, null, proven, tail.end);
    }
    this.torn.push(tail);
    const before = old.isEmpty ? (this.segments.at(-1) ?? null) : old;
    const fresh = await this.goOnAfresh(before, tail);
    if (!old.isEmpty) this.pushToSeal(old);
    await this.listOnly(this.segments, fresh);
    if (fresh !== null) this.push(fresh);
    return this.recovered(fresh, null, proven, tail.end);
  }

  /** The last segment up to what is proven, even if that is damaged, and the batches behind. */
  private async divided(
    scanned: ScannedSegment,
    proven: number,
  ): Promise<{ readonly old: Segment; readonly tail: UnprovenTail }> {
    const { segment, batches, size } = scanned;
    const { number, end } = segment;
    if (end >= proven) {
      this.checkFollows(scanned);
      const unproven = batches.filter(({ position }) => position >= proven);
      return { old: segment.upTo(proven, batches), tail: { number, batches: unproven, end, size } };
    }
    const part = this.damagedPart(scanned);
    const { watermark } = this.evidence;
    const provenPart = await endByEvidence(this.store, part, proven, watermark);
    const old = await this.isolatedUpTo(scanned, provenPart, proven);
    return { old, tail: await tailBehind(this.store, part, old) };
  }

  /** The segment to continue with, if batches must be written again or offsets left out. */
  private goOnAfresh(before: Segment | null, tail: UnprovenTail | null): Promise<Segment | null> {
    const end = tail?.batches.at(-1)?.header.nextOffset ?? before?.nextOffset ?? 0;
    this.recordsEnd = Math.max(this.log.startOffset, end);
    if (this.store.readOnly) return Promise.resolve(null);
    const start = { before, tail, gapTo: this.log.ceiling };
    return writeFreshSegment(this.store, this.log, this.logTag, start);
  }

  /** From now on lists the complete segments, and the growing one, in the manifest. */
  private async listOnly(complete: readonly Segment[], growing: Segment | null = null) {
    if (this.store.readOnly) return;
    for (const tail of this.torn) await keepUnparsed(this.store, this.log, tail);
    const known = new Map(this.log.segments.map((entry) => [entry.number, entry]));
    const entries = complete.map((segment): ManifestSegment => {
      const entry = known.get(segment.number);
      if (entry !== undefined && entry.digest !== null) return entry;
      return { number: segment.number, end: segment.toEnd(), digest: null };
    });
    if (growing !== null) entries.push({ number: growing.number, end: null, digest: null });
    await this.store.manifest.edit({ type: 'recovered', id: this.log.id, segments: entries });
  }

  private recovered(
    growing: Segment | null,
    preparedNumber: number | null,
    provenEnd: number,
    intactEnd: number,
  ): RecoveredLog {
    const { log, logTag, segments, toSeal, files } = this;
    const { wasClean, watermark } = this.evidence;
    const nextOffset = Math.max(log.startOffset, segments.at(-1)?.nextOffset ?? 0);
    const prepared = preparedNumber === null ? null : new Segment(log.id, preparedNumber);
    const report = {
      name: log.name,
      startOffset: log.startOffset,
      nextOffset,
      scannedBytes: files.scannedBytes,
      provenEnd,
      intactEnd,
      rewrittenBytes: this.store.readOnly ? 0 : intactEnd - Math.min(provenEnd, intactEnd),
      lostOffsets: wasClean ? 0 : Math.max(0, (watermark?.acknowledged ?? 0) - this.recordsEnd),
    };
    return {
      log,
      logTag,
      segments,
      nextOffset,
      lastTime: segments.at(-1)?.lastAppendTime ?? 0,
      growing,
      prepared,
      toSeal,
      report,
    };
  }

  /** How many bytes of a segment were fdatasynced, according to all evidence. */
  private provenEnd({ segment, proven }: ScannedSegment): number {
    const { watermark } = this.evidence;
    const marked = watermark?.segment === segment.number ? watermark.durablePosition : 0;
    return Math.max(proven, marked);
  }

  /** If the watermark knows a segment that the manifest does not, the manifest has lost an edit. */
  private checkWatermarkIsListed(open: readonly ManifestSegment[]): void {
    const { watermark } = this.evidence;
    const last = open.at(-1)?.number ?? this.segments.at(-1)?.number ?? this.log.nextNumber - 1;
    if (watermark === null || watermark.durablePosition === 0 || watermark.segment <= last) return;
    const missing = new Segment(this.log.id, watermark.segment);
    throw this.damaged(missing, 'the manifest does not list it', watermark.durablePosition);
  }

  /** A segment begins where the one before it ends, in its own log and under its own name. */
  private checkFollows({ header, segment }: ScannedSegment): void {
    const place = { logId: this.log.id, number: segment.number, before: this.segments.at(-1) };
    const fault = headerFault(this.store.storeId, place, header);
    if (fault !== null) throw this.damaged(segment, fault);
  }

  private push(segment: Segment): void {
    const before = this.segments.at(-1);
    if (before !== undefined && segment.baseOffset < before.nextOffset) {
      throw this.damaged(segment, 'it begins before the segment in front of it ends');
    }
    this.segments.push(segment);
  }

  private pushToSeal(segment: Segment): void {
    this.push(segment);
    this.toSeal.push(segment);
  }

  private damaged(segment: Segment, reason: string | null, to = segment.end): DamagedData {
    const good = Math.max(segment.nextOffset, this.segments.at(-1)?.nextOffset ?? 0) - 1;
    return this.files.damaged(segment, good, reason ?? 'the data ends too early', to);
  }
}
