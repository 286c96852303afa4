/** The growing end of one log: writes groups, rolls to the next segment, seals the one before. */
import type { FileHandle } from '../disk/disk.js';
import type { FsyncMode } from '../disk/fsync-mode.js';
import { OwnFile } from '../disk/open-files.js';
import { writeFully } from '../disk/whole-file.js';
import type { DiskFull } from '../faults/storage-errors.js';
import type { SegmentOrigin } from '../format/segment-format.js';
import { SegmentIndex } from '../index/segment-index.js';
import type { DurablePlace } from '../manifest/watermarks.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentNumbers } from '../segment/segment-numbers.js';
import type { WriteAhead } from '../wal/write-ahead.js';
import type { AppendGroup, AppendTimes } from './append-group.js';
import type { CommitTarget } from './group-commit.js';
import { beginSegment, NextSegment } from './next-segment.js';
import { type LeasingStore, OffsetLease } from './offset-lease.js';
import { type SealingStore, SegmentSealer, type WrittenSegment } from './segment-sealer.js';

/** The store in which a log is written. */
export interface WritingStore extends SealingStore, SegmentOrigin, LeasingStore {
  readonly appendTimes: AppendTimes;
  readonly fsync: FsyncMode;
  readonly writeAhead: WriteAhead;
}

/** The log that a writer writes. */
export interface WrittenLog {
  readonly id: number;
  readonly logTag: number;
  readonly preparesNextSegment: boolean;
  /** In order; the last one may be growing. Shared with the reader and the log. */
  readonly segments: Segment[];
  readonly numbers: SegmentNumbers;
  /** Called for each segment that is sealed. */
  sealedOne(): void;
  /** See `AheadLog`. */
  sync(): Promise<void>;
}

/** How a log continues after a start. */
export interface ResumedLog {
  readonly growing: Segment | null;
  /** Created ahead of time and still empty. */
  readonly prepared: Segment | null;
  /** Complete but not sealed. */
  readonly toSeal: readonly Segment[];
}

/** Writes one group at a time; only this class adds to `segments`. */
export class SegmentWriter implements CommitTarget {
  /** Never refuses in advance: lack of room, or a failure, shows when a group is written. */
  readonly refusal = null;
  readonly gathers = false;
  /** The growing segment and its file; null until the first write after most starts. */
  private active: WrittenSegment | null = null;
  private readonly next: NextSegment;
  private readonly sealer: SegmentSealer;
  /** Used in the lazy modes only. */
  private readonly lease: OffsetLease;
  private growingNumber = 0;
  private durable = 0;

  constructor(
    private readonly store: WritingStore,
    private readonly log: WrittenLog,
  ) {
    this.sealer = new SegmentSealer(store, log, () => log.sealedOne());
    this.next = new NextSegment(store, log);
    this.lease = new OffsetLease(store, log.id);
    for (const { lastAppendTime = 0 } of log.segments) store.appendTimes.startFrom(lastAppendTime);
  }

  get durablePlace(): DurablePlace {
    return { segment: this.growingNumber, durablePosition: this.durable };
  }

  /** Whether everything committed is in the file of its segment and on disk. */
  get isSynced(): boolean {
    return this.durable === this.active?.segment.end;
  }

  /** Continues where recovery, or a clean stop, left the log. */
  resume({ growing, prepared, toSeal }: ResumedLog): void {
    for (const segment of toSeal) this.sealer.add({ segment, file: this.openFile(segment) });
    if (prepared !== null) this.next.resume(prepared);
    if (growing === null) return;
    this.active = { segment: growing, file: this.openFile(growing) };
    this.growingNumber = growing.number;
    this.durable = growing.end;
  }

  /** See `NextSegment.prepare`. */
  prepare(): Promise<void> {
    return this.next.prepare();
  }

  /** Shares nothing: the folder is the only place. */
  share(): null {
    return null;
  }

  /**
   * Writes a group, and syncs it if the fsync mode asks for that. If there is no room, returns the
   * reason; nothing of the group is left then: the file is durably as it was before.
   */
  async write(group: AppendGroup): Promise<DiskFull | null> {
    const { store, log } = this;
    let written: WrittenSegment | null = null;
    try {
      if (store.fsync !== 'strict') await this.lease.upTo(group.nextOffset);
      const growing = await this.segmentFor(group.byteLength);
      const { file } = growing;
      written = growing;
      await file.use((handle) => this.writeTo(growing, handle, group));
      return null;
    } catch (error) {
      if (log.preparesNextSegment || !store.fence.lacksRoom(error)) throw error;
      const full = store.freeSpace.outOfRoom(`writing log ${log.id}`, error);
      if (written !== null) await this.cutBack(written);
      return full;
    }
  }

  private async writeTo(
    { segment, file: own }: WrittenSegment,
    file: FileHandle,
    group: AppendGroup,
  ): Promise<void> {
    const { position, parts } = this.place(segment, group);
    let end = position;
    for (const bytes of parts) {
      await this.writePart(file, bytes, end);
      end += bytes.length;
    }
    if (!this.writesSynced) {
      own.wrote();
      if (!(await this.synced(segment, own, position, parts))) return;
    }
    this.durable = end;
  }

  /**
   * Makes the end of a file durable as the mode asks; false if the file itself is synced later: in
   * a lazy mode, and if the bytes went to the write-ahead log.
   */
  private async synced(
    { number }: Segment,
    file: OwnFile,
    position: number,
    parts: readonly Buffer[],
  ): Promise<boolean> {
    const { log } = this;
    const { fsync, fileSync, writeAhead } = this.store;
    if (fsync !== 'strict') return false;
    const [bytes, ...more] = parts;
    const mayWriteAhead = writeAhead.isGathering || fileSync.syncing >= writeAhead.syncsApart;
    if (mayWriteAhead && bytes !== undefined && more.length === 0) {
      if (await writeAhead.append(log, { logId: log.id, number, position, bytes })) return false;
    }
    await fileSync.syncOwn(file);
    if (writeAhead.dirty.size > 0) writeAhead.synced(log);
    return true;
  }

  private writePart(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
    const { disk, fileSync } = this.store;
    if (this.writesSynced) return fileSync.mustWrite(file, bytes, position);
    return writeFully(disk, file, bytes, position);
  }

  /** Prepares a group for the end of a segment; returns its bytes, and the position for them. */
  private place(segment: Segment, group: AppendGroup): { position: number; parts: Buffer[] } {
    const { store, log, durable: durablePosition } = this;
    const isFirst = segment.isEmpty;
    if (isFirst) {
      const before = log.segments[log.segments.indexOf(segment) - 1];
      beginSegment(store, segment, before?.link, group);
    }
    // Set only now, so that it is later than everything the group's records rely on.
    const appendTime = store.appendTimes.next();
    group.seal(segment, { epoch: store.epoch, logTag: log.logTag, durablePosition, appendTime });
    return { position: isFirst ? 0 : segment.end, parts: group.bytes(isFirst) };
  }

  private async cutBack({ segment, file }: WrittenSegment): Promise<void> {
    if (segment.batchCount === 0) segment.undoBegin();
    await file.use(async (handle) => {
      await this.store.disk.truncate(handle, segment.end);
      await this.store.fileSync.mustSync(handle);
    });
    this.durable = segment.end;
  }

  /** Makes the written group visible. */
  committed(group: AppendGroup): void {
    const segment = this.active?.segment;
    if (segment === undefined) throw new Error('a group was committed to no segment');
    for (const { batches } of group.parts) for (const batch of batches) segment.add(batch);
    if (group.terms.length > 0) {
      segment.index?.addTerms(group.terms, group.baseOffset - segment.baseOffset);
    }
    const { segmentBytes, freeSpace } = this.store;
    const isHalfFull = segment.end * 2 > segmentBytes;
    if (isHalfFull && freeSpace.full === null) this.next.prepareWhileGrowing(segment.end);
  }

  /** Runs fdatasync for what was written so far: for the lazy modes and a clean stop. */
  async sync(): Promise<void> {
    if (this.active === null) return;
    const { segment, file } = this.active;
    const { end } = segment;
    await this.store.fileSync.syncOwn(file);
    if (this.active?.segment === segment) this.durable = Math.max(this.durable, end);
  }

  /** Seals the growing segment, if it holds anything; no group may be in flight. */
  async endSegment(): Promise<void> {
    const { active } = this;
    if (active === null || active.segment.isEmpty) return;
    // The next segment's header states the length of this one, so all of it must be on disk.
    await this.sync();
    this.sealer.seal(active);
    this.active = null;
  }

  /** See `SegmentSealer.sealed`. */
  sealed(): Promise<DiskFull | null> {
    return this.sealer.sealed();
  }

  /** Closes the files; nothing may be in flight. Returns the segment that was growing. */
  async close(): Promise<Segment | null> {
    await this.sealer.close();
    await this.next.idle();
    const { active } = this;
    this.active = null;
    if (active === null) return null;
    await active.file.close(this.store.disk);
    return active.segment;
  }

  /**
   * Whether a group is written and synced in one call, which needs its room in advance. Otherwise a
   * write may fail for want of room, and only a separate write is known to leave nothing unsynced.
   */
  private get writesSynced(): boolean {
    return this.store.fsync === 'strict' && this.log.preparesNextSegment;
  }

  private openFile({ number }: Segment): OwnFile {
    const { openFiles, directory } = this.store;
    const path = directory.segment(this.log.id, number);
    const mode = this.writesSynced ? 'synced' : 'write';
    return new OwnFile(openFiles, path, mode, this.store.fsync !== 'os');
  }

  private async segmentFor(bytes: number): Promise<WrittenSegment> {
    const { active } = this;
    if (active !== null) {
      const { segment } = active;
      if (segment.isEmpty || segment.end + bytes <= this.store.segmentBytes) return active;
    }
    // Taken first, so that nothing has changed if there is no room for it.
    const segment = await this.next.take();
    await this.endSegment();
    segment.index = new SegmentIndex();
    this.log.segments.push(segment);
    this.growingNumber = segment.number;
    this.durable = 0;
    this.active = { segment, file: this.openFile(segment) };
    this.store.freeSpace.checkSoon();
    return this.active;
  }
}
