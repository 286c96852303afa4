/** The growing end of one log: writes groups, rolls to the next segment, seals the one before. */
import type { AppendGroup } from './append-group.js';
import { OwnFile } from './open-files.js';
import { sealBatch } from './record-batch.js';
import { Segment } from './segment.js';
import { encodeSegmentHeader, segmentHeaderLength } from './segment-format.js';
import { SegmentIndex } from './segment-index.js';
import { allocateSegment, sealSegment } from './segment-lifecycle.js';
import type { SegmentNumbers } from './segment-numbers.js';
import type { StoreContext } from './store-context.js';
import { writeFully } from './whole-file.js';

/** The one log a writer writes. */
export interface WrittenLog {
  readonly id: number;
  readonly logTag: number;
  readonly preparesNextSegment: boolean;
  /** In order; the last one grows, unless nothing does. The reader and the log share it. */
  readonly segments: Segment[];
  readonly numbers: SegmentNumbers;
}

/** How a log goes on after a start. */
export interface ResumedLog {
  readonly growing: Segment | null;
  /** Made ahead and still empty. */
  readonly prepared: Segment | null;
  /** Complete but not sealed. */
  readonly toSeal: readonly Segment[];
}

interface Growing {
  readonly segment: Segment;
  readonly file: OwnFile;
}

/** One group at a time; `segments` grows only here. */
export class SegmentWriter {
  /** The segment that grows and its file; null until the first write after most starts. */
  private active: Growing | null = null;
  private next: Promise<Segment> | null = null;
  private sealing: Promise<void> = Promise.resolve();
  private growingNumber = 0;
  private durable = 0;
  private ceiling = 0;
  private lease: Promise<void> | null = null;

  constructor(
    private readonly context: StoreContext,
    private readonly log: WrittenLog,
  ) {}

  /** The segment that grows, or grew last, and how many of its bytes are known to be on disk. */
  get durablePlace(): { readonly segment: number; readonly durablePosition: number } {
    return { segment: this.growingNumber, durablePosition: this.durable };
  }

  /** Goes on where recovery, or a clean stop, left the log. */
  resume({ growing, prepared, toSeal }: ResumedLog): void {
    for (const segment of toSeal) this.seal(segment, this.openFile(segment));
    if (prepared !== null) this.next = Promise.resolve(prepared);
    if (growing === null) return;
    this.active = { segment: growing, file: this.openFile(growing) };
    this.growingNumber = growing.number;
    this.durable = growing.end;
  }

  /** The next segment is there: the first append will not have to wait for it. */
  async prepare(): Promise<void> {
    await this.prepareNext();
  }

  /** Writes a group, and syncs it where the mode asks for that. */
  async write(group: AppendGroup): Promise<void> {
    const { context } = this;
    if (context.fsync !== 'strict') await this.leaseUpTo(group.nextOffset);
    const growing = await this.segmentFor(group.length - segmentHeaderLength);
    const { segment } = growing;
    const file = await growing.file.open();
    const fresh = segment.isEmpty;
    if (fresh) this.begin(segment, group);
    this.sealBatches(segment, group);
    const bytes = group.buffer.subarray(fresh ? 0 : segmentHeaderLength, group.length);
    await writeFully(context.disk, file, bytes, fresh ? 0 : segment.end);
    if (context.fsync !== 'strict') return;
    await context.sync(file);
    this.durable = segment.end + group.length - segmentHeaderLength;
  }

  /** The written group becomes visible. */
  committed(group: AppendGroup): void {
    const segment = this.active?.segment;
    if (segment === undefined) throw new Error('a group was committed to no segment');
    for (const batch of group.batches) segment.add(batch);
    segment.index?.addTerms(group.terms, group.baseOffset - segment.baseOffset);
    if (segment.end * 2 > this.context.segmentBytes) void this.prepareNext();
  }

  /** fdatasync of what was written so far: the lazy modes, and the clean stop. */
  async sync(): Promise<void> {
    if (this.active === null) return;
    const { segment, file } = this.active;
    const { end } = segment;
    if (end === this.durable) return;
    await this.context.sync(await file.open());
    if (this.active?.segment === segment) this.durable = end;
  }

  /** Seals the growing segment, if it holds anything; no group may be on its way. */
  async endSegment(): Promise<void> {
    const { active } = this;
    if (active === null || active.segment.isEmpty) return;
    // The next segment's header vouches for all of this one, so all of it must be on disk.
    await this.sync();
    this.seal(active.segment, active.file);
    this.active = null;
  }

  /** Settles when every segment that was left behind is sealed. */
  sealed(): Promise<void> {
    return this.sealing;
  }

  /** Seals a segment that recovery found complete, or that was just left behind. */
  private seal(segment: Segment, file: OwnFile): void {
    this.sealing = this.sealing
      .then(() => sealSegment(this.context, this.log, segment, file))
      .catch((error: unknown) => {
        this.context.fail(`sealing segment ${segment.number} of log ${this.log.id}`, error);
      });
  }

  /** Lets go of the files; nothing may be in flight. Returns the segment that was growing. */
  async close(): Promise<Segment | null> {
    await this.sealing;
    await this.next;
    const { active } = this;
    this.active = null;
    if (active === null) return null;
    await active.file.close(this.context.disk);
    return active.segment;
  }

  private openFile({ number }: Segment): OwnFile {
    const { openFiles, directory } = this.context;
    return new OwnFile(openFiles, directory.segment(this.log.id, number));
  }

  private begin(segment: Segment, group: AppendGroup): void {
    const { id, segments } = this.log;
    const before = segments[segments.indexOf(segment) - 1]?.link;
    const chainSeed = before?.lastChecksum ?? 0;
    segment.begin(group.baseOffset, chainSeed);
    encodeSegmentHeader(group.buffer, {
      storeId: this.context.storeId,
      logId: id,
      number: segment.number,
      baseOffset: group.baseOffset,
      chainSeed,
      previousEnd: before?.end ?? 0,
      createdAt: this.context.now(),
      epoch: this.context.epoch,
    });
  }

  /** Gives every batch of the group its place: header, checksums, link to the one before. */
  private sealBatches(segment: Segment, group: AppendGroup): void {
    const place = {
      rewritten: false,
      epoch: this.context.epoch,
      filePosition: 0,
      durablePosition: this.durable,
      previousChecksum: segment.lastChecksum,
      logTag: this.log.logTag,
    };
    for (const batch of group.batches) {
      place.filePosition = segment.end + batch.start - segmentHeaderLength;
      batch.headerChecksum = sealBatch(group.buffer, batch.start, batch, place);
      place.previousChecksum = batch.headerChecksum;
    }
  }

  private async segmentFor(bytes: number): Promise<Growing> {
    const { active } = this;
    if (active !== null) {
      const { segment } = active;
      if (segment.isEmpty || segment.end + bytes <= this.context.segmentBytes) return active;
      await this.endSegment();
    }
    const segment = await this.prepareNext();
    this.next = null;
    segment.index = new SegmentIndex();
    this.log.segments.push(segment);
    this.growingNumber = segment.number;
    this.durable = 0;
    this.active = { segment, file: this.openFile(segment) };
    this.context.rolled();
    return this.active;
  }

  private prepareNext(): Promise<Segment> {
    if (this.next !== null) return this.next;
    this.next = this.allocate();
    // Whoever rolls meets the error; until then it is not unhandled.
    this.next.catch(() => undefined);
    return this.next;
  }

  private allocate(): Promise<Segment> {
    const { context, log } = this;
    return allocateSegment(context, log.id, log.numbers.take(), log.preparesNextSegment);
  }

  /** In the lazy modes no offset is acknowledged that is not below the leased ceiling. */
  private async leaseUpTo(nextOffset: number): Promise<void> {
    const { leaseOffsets } = this.context;
    if (this.lease === null && nextOffset + leaseOffsets / 2 > this.ceiling) {
      const ceiling = nextOffset + leaseOffsets;
      this.lease = this.context
        .edit({ type: 'ceilingRaised', id: this.log.id, ceiling })
        .then(() => {
          this.ceiling = ceiling;
          this.lease = null;
        });
      this.lease.catch(() => undefined);
    }
    while (nextOffset > this.ceiling && this.lease !== null) await this.lease;
  }
}
