/** Opening one log: the proven is believed, the unproven written again, damage is told. */

import { LogFiles } from './log-files.js';
import type { ClosedLog, ManifestLog, ManifestSegment } from './manifest.js';
import { logTagOf } from './record-batch.js';
import type { LogEvidence, RecoveredLog } from './recovered-log.js';
import { keepUnparsed, writeFreshSegment } from './rewrite-tail.js';
import { openSealed } from './sealed-segment.js';
import { Segment } from './segment.js';
import { followsOn, type SegmentEnd } from './segment-format.js';
import { SegmentIndex } from './segment-index.js';
import { type ScannedSegment } from './segment-scan.js';
import { DamagedData } from './storage-errors.js';
import type { StoreContext } from './store-context.js';
import { readWhole } from './whole-file.js';

/** Opens one log. Throws `DamagedData`; nothing was changed then. */
export async function recoverLog(
  context: StoreContext,
  log: ManifestLog,
  evidence: LogEvidence,
): Promise<RecoveredLog> {
  return new LogRecovery(context, log, evidence).run();
}

class LogRecovery {
  readonly logTag: number;
  readonly files: LogFiles;
  readonly segments: Segment[] = [];
  private readonly toSeal: Segment[] = [];
  /** Where the records end that the crash left; a gap may follow. */
  private recordsEnd = 0;

  constructor(
    private readonly context: StoreContext,
    readonly log: ManifestLog,
    private readonly evidence: LogEvidence,
  ) {
    this.logTag = logTagOf(context.storeId, log.id);
    this.files = new LogFiles(context, log, this.logTag);
  }

  async run(): Promise<RecoveredLog> {
    const open: ManifestSegment[] = [];
    for (const entry of this.log.segments) {
      const { number, end, digest } = entry;
      if (end === null) open.push(entry);
      else if (digest === null) await this.takeEnded(number, end);
      else this.push(await openSealed(this.context, this, { ...entry, end, digest }));
    }
    return this.evidence.wasClean ? this.afterCleanStop(open) : this.afterCrash(open);
  }

  /** A complete segment whose sealing was interrupted. */
  private async takeEnded(number: number, end: SegmentEnd): Promise<void> {
    const scanned = await this.files.scan(number, end.end);
    if (scanned.segment.end !== end.end || scanned.segment.lastChecksum !== end.lastChecksum) {
      throw this.damaged(scanned.segment, scanned.fault ?? 'the data ends too early', end.end);
    }
    this.push(scanned.segment);
    this.toSeal.push(scanned.segment);
  }

  private async afterCleanStop(open: readonly ManifestSegment[]): Promise<RecoveredLog> {
    const { closed } = this.evidence;
    const [first, second] = open;
    for (const { number } of open) {
      const segment = new Segment(this.log.id, number);
      await this.files.read(segment, (file) => this.context.disk.size(file));
    }
    if (closed === null) return this.recovered(null, first?.number ?? null, 0, 0);
    if (first?.number !== closed.number) {
      throw this.damaged(new Segment(this.log.id, closed.number), 'the manifest does not list it');
    }
    const growing = await this.takeClosed(closed);
    this.push(growing);
    return this.recovered(growing, second?.number ?? null, growing.end, growing.end);
  }

  /** The growing segment of a clean stop: not read again if its index is as it was left. */
  private async takeClosed({ number, end }: ClosedLog): Promise<Segment> {
    const { context, log, logTag } = this;
    const segment = Segment.ended(log.id, number, end);
    const size = await this.files.read(segment, (file) => context.disk.size(file));
    if (size < end.end)
      throw this.damaged(segment, 'the file is shorter than it was left', end.end);
    const bytes = await readWhole(context.disk, context.directory.index(log.id, number)).catch(
      () => null,
    );
    segment.index = bytes === null ? null : SegmentIndex.decode(bytes, { logTag, number, segment });
    if (segment.index !== null) return segment;
    const scanned = await this.files.scan(number, end.end);
    if (scanned.segment.end === end.end && scanned.segment.lastChecksum === end.lastChecksum) {
      return scanned.segment;
    }
    throw this.damaged(scanned.segment, scanned.fault ?? 'the data ends too early', end.end);
  }

  /**
   * Every segment that may have been written to is read. A segment's end is vouched for by the
   * header of the next one; the last one's by the watermark and by its own batch headers.
   */
  private async afterCrash(open: readonly ManifestSegment[]): Promise<RecoveredLog> {
    const scans: ScannedSegment[] = [];
    for (const { number } of open) scans.push(await this.files.scan(number));
    const last = scans.findLastIndex(({ segment }) => segment.batchCount > 0);
    for (const [index, scanned] of scans.entries()) {
      const follower = index < last ? scans[index + 1] : undefined;
      if (follower !== undefined) this.takeComplete(scanned, follower);
      else this.checkProven(scanned, this.provenEnd(scanned));
    }
    this.checkWatermarkIsListed(open);
    const tail = last < 0 ? undefined : scans[last];
    if (tail === undefined) return this.afterEmptyTail(scans);
    this.checkFollows(tail);
    return this.takeTail(tail);
  }

  private takeComplete(scanned: ScannedSegment, follower: ScannedSegment): void {
    const end = follower.header?.previousEnd ?? 0;
    this.checkProven(scanned, Math.max(end, this.provenEnd(scanned)));
    this.checkFollows(scanned);
    this.push(scanned.segment);
    this.toSeal.push(scanned.segment);
  }

  /** Nothing was written since the last complete segment. */
  private async afterEmptyTail(scans: readonly ScannedSegment[]): Promise<RecoveredLog> {
    const fresh = await this.goOnAfresh(this.segments.at(-1) ?? null, null, 0);
    if (scans.length > 0 || fresh !== null) await this.listOnly(this.segments, fresh);
    if (fresh !== null) this.push(fresh);
    return this.recovered(fresh, null, 0, 0);
  }

  private async takeTail(tail: ScannedSegment): Promise<RecoveredLog> {
    const proven = this.provenEnd(tail);
    const intact = tail.segment.end;
    if (this.context.readOnly) {
      const shown = tail.segment.upTo(proven, tail.batches);
      if (!shown.isEmpty) this.push(shown);
      return this.recovered(null, null, proven, intact);
    }
    await keepUnparsed(this.context, this.log, tail);
    const old = tail.segment.upTo(proven, tail.batches);
    const before = old.batchCount > 0 ? old : (this.segments.at(-1) ?? null);
    const fresh = await this.goOnAfresh(before, tail, proven);
    if (before === old) {
      this.push(old);
      this.toSeal.push(old);
    }
    await this.listOnly(this.segments, fresh);
    if (fresh !== null) this.push(fresh);
    return this.recovered(fresh, null, proven, intact);
  }

  /** The segment to go on with, if something has to be written again or an offset left out. */
  private goOnAfresh(
    before: Segment | null,
    tail: ScannedSegment | null,
    proven: number,
  ): Promise<Segment | null> {
    const end = tail?.segment.nextOffset ?? before?.nextOffset ?? 0;
    this.recordsEnd = Math.max(this.log.startOffset, end);
    if (this.context.readOnly) return Promise.resolve(null);
    const unproven = tail?.batches.filter(({ position }) => position >= proven) ?? [];
    const start = { before, tail, unproven, gapTo: this.log.ceiling };
    return writeFreshSegment(this.context, this.log, this.logTag, start);
  }

  /** The manifest lists the segments that are complete, and the one that grows, from now on. */
  private async listOnly(complete: readonly Segment[], growing: Segment | null = null) {
    if (this.context.readOnly) return;
    const known = new Map(this.log.segments.map((entry) => [entry.number, entry]));
    const entries = complete.map((segment): ManifestSegment => {
      const entry = known.get(segment.number);
      if (entry !== undefined && entry.digest !== null) return entry;
      return { number: segment.number, end: segment.toEnd(), digest: null };
    });
    if (growing !== null) entries.push({ number: growing.number, end: null, digest: null });
    await this.context.edit({ type: 'recovered', id: this.log.id, segments: entries });
  }

  private recovered(
    growing: Segment | null,
    preparedNumber: number | null,
    provenEnd: number,
    intactEnd: number,
  ): RecoveredLog {
    const { log, logTag, segments, toSeal, files, evidence } = this;
    const nextOffset = Math.max(log.startOffset, segments.at(-1)?.nextOffset ?? 0);
    const prepared = preparedNumber === null ? null : new Segment(log.id, preparedNumber);
    const report = {
      name: log.name,
      startOffset: log.startOffset,
      nextOffset,
      scannedBytes: files.scannedBytes,
      provenEnd,
      intactEnd,
      rewrittenBytes: this.context.readOnly ? 0 : intactEnd - Math.min(provenEnd, intactEnd),
      lostOffsets: Math.max(
        0,
        evidence.wasClean ? 0 : (evidence.watermark?.acknowledged ?? 0) - this.recordsEnd,
      ),
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

  /** How many bytes of a segment were fdatasynced, by everything that says so. */
  private provenEnd({ segment, proven }: ScannedSegment): number {
    const { watermark } = this.evidence;
    const marked = watermark?.segment === segment.number ? watermark.durablePosition : 0;
    return Math.max(proven, marked);
  }

  private checkProven(scanned: ScannedSegment, proven: number): void {
    if (scanned.segment.end >= proven) return;
    const reason = scanned.header === null ? 'no intact segment header' : scanned.fault;
    throw this.damaged(scanned.segment, reason ?? 'the file ends too early', proven);
  }

  /** The watermark knows a segment that the manifest does not: the manifest has lost an edit. */
  private checkWatermarkIsListed(open: readonly ManifestSegment[]): void {
    const { watermark } = this.evidence;
    const last = open.at(-1)?.number ?? this.segments.at(-1)?.number ?? this.log.nextNumber - 1;
    if (watermark === null || watermark.durablePosition === 0 || watermark.segment <= last) return;
    const missing = new Segment(this.log.id, watermark.segment);
    throw this.damaged(missing, 'the manifest does not list it', watermark.durablePosition);
  }

  /** A segment begins where the one before it ends, in its own log and under its own name. */
  private checkFollows({ header, segment }: ScannedSegment): void {
    const before = this.segments.at(-1);
    if (header === null) throw this.damaged(segment, 'no intact segment header');
    const { storeId } = this.context;
    if (!header.storeId.equals(storeId) || header.logId !== this.log.id) {
      throw this.damaged(segment, 'the file belongs to another log or store');
    }
    if (header.number !== segment.number) throw this.damaged(segment, 'the file was renamed');
    if (before === undefined) return;
    if (followsOn(header, before) && header.baseOffset >= before.nextOffset) return;
    throw this.damaged(segment, 'it does not follow the segment before it');
  }

  private push(segment: Segment): void {
    const before = this.segments.at(-1);
    if (before !== undefined && segment.baseOffset < before.nextOffset) {
      throw this.damaged(segment, 'it begins before the segment in front of it ends');
    }
    this.segments.push(segment);
  }

  private damaged(segment: Segment, reason: string, to = segment.end): DamagedData {
    const good = Math.max(segment.nextOffset, this.segments.at(-1)?.nextOffset ?? 0) - 1;
    return this.files.damaged(segment, good, reason, to);
  }
}
