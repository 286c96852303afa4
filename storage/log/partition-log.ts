/** One log: appends get offsets at once, readers see what is durable. Assigns every offset. */
import { chainOf } from '../chain/log-chain.js';
import type { CompactionOptions, CompactionReport } from '../compaction/compaction.js';
import type { SweepOptions, SweepReport } from '../compaction/sweep.js';
import { diskError, LogClosed, OffsetOutOfRange } from '../faults/storage-errors.js';
import type { RecordInput } from '../format/record.js';
import type { RecordBatch } from '../format/record-batch.js';
import type { LogSettings } from '../manifest/manifest.js';
import { DurableMark } from '../manifest/watermarks.js';
import { assertOffset, type Offset, type OffsetRange } from '../offsets/offset.js';
import type { ReadOptions } from '../segment/read-budget.js';
import type { Segment, SegmentSpan } from '../segment/segment.js';
import { SegmentNumbers } from '../segment/segment-numbers.js';
import { SegmentChanged, SegmentReader } from '../segment/segment-reader.js';
import type { AppendGroup } from './append-group.js';
import { type CommittedRecords, streamOf, unfollowed } from './commit-stream.js';
import { type Appended, GroupCommit } from './group-commit.js';
import { type FindOptions, LogReader, offsetsOf } from './log-reader.js';
import type { LogStore } from './log-store.js';
import { LogUpkeep } from './log-upkeep.js';
import type { OpenedLog } from './opened-log.js';
import { SegmentWriter } from './segment-writer.js';
import { SharedTarget } from './shared-target.js';
import { AppendWaiters } from './waiters.js';

/**
 *   startOffset           highWatermark          endOffset
 *        |                      |                    |
 *    ----[ 3  4  5  6  7  8  9 )[ 10  11  12        )----
 *   gone   readable, durable      assigned, not durable yet
 */
export class PartitionLog {
  /** The number that names this log's files. */
  readonly id: number;
  readonly name: string;
  /** Marks this log's batches. */
  readonly logTag: number;
  readonly settings: LogSettings;
  private readonly writer: SegmentWriter;
  private readonly mark: DurableMark;
  private readonly reader: LogReader;
  private readonly commit: GroupCommit;
  private readonly waiters = new AppendWaiters();
  private readonly upkeep: LogUpkeep;
  private closedBecause: Error | null = null;
  private readable: Offset;

  constructor(
    private readonly store: LogStore,
    private readonly opened: OpenedLog,
  ) {
    const { id, name, logTag, settings, segments } = opened;
    this.id = id;
    this.name = name;
    this.logTag = logTag;
    this.settings = settings;
    this.readable = opened.nextOffset;
    const reader = new SegmentReader(store, opened, segments);
    this.reader = new LogReader(reader);
    const numbers = new SegmentNumbers(store.manifest.state, id);
    const { preparesNextSegment = false } = settings;
    const chain = chainOf(store, opened);
    const calls = { sealedOne: () => chain?.extendLater(), sync: () => this.sync() };
    const written = { id, logTag, preparesNextSegment, segments, numbers, ...calls };
    this.writer = new SegmentWriter(store, written);
    this.mark = new DurableMark(store, opened, this.writer);
    const sealed = () => this.writer.sealed();
    this.upkeep = new LogUpkeep(store, opened, { reader, numbers, sealed, chain });
    if (store.readOnly) this.refuse(new LogClosed('the store is open for reading only'));
    else this.writer.resume(opened);
    const shared = streamOf(store.commits, name);
    const target = shared === null ? this.writer : new SharedTarget(shared, name, this.writer);
    this.commit = new GroupCommit(store, opened, target, (group) => this.committed(group));
  }

  /** The first offset that is still here. */
  get startOffset(): Offset {
    return this.upkeep.startOffset;
  }

  /** The first offset that readers do not see yet: all before it are durable (see fsync modes). */
  get highWatermark(): Offset {
    return this.readable;
  }

  /** The offset that the next record will get. */
  get endOffset(): Offset {
    return this.commit.endOffset;
  }

  /** What the log is made of, oldest first. */
  get segments(): SegmentSpan[] {
    return this.opened.segments.filter(({ isEmpty }) => !isEmpty).map(({ span }) => span);
  }

  /** The ranges found unreadable so far: only in a log that isolates damage. */
  get damages(): OffsetRange[] {
    return this.reader.damages(this.startOffset);
  }

  /** Total bytes of the log's segments. */
  get byteLength(): number {
    return this.opened.segments.reduce((sum, { end }) => sum + end, 0);
  }

  /**
   * Appends records atomically: after a crash all of them are there or none. Throws `TooLarge`,
   * `LogClosed`, or `DiskFull` until there is room again. A failed write rejects `durable`; after
   * `DiskFull` no record is there. `lingers` delays the write up to 5 ms, to join another append.
   */
  append(records: readonly RecordInput[], lingers = false): Appended {
    if (this.closedBecause !== null) throw this.closedBecause;
    const { full } = this.store.freeSpace;
    if (full !== null && !this.settings.preparesNextSegment) throw full;
    return this.commit.append(records, this.store.now(), lingers);
  }

  /** Writes what was appended so far without lingering any longer. */
  flush(): void {
    this.commit.flush();
  }

  /**
   * Appends records that another machine has committed, at their offsets there; skips known ones.
   * Settles once they are durable. Throws `LogClosed`, or `RecordsMissing` if earlier are not here.
   */
  follow(committed: CommittedRecords): Promise<void> {
    if (this.closedBecause !== null) throw this.closedBecause;
    return this.commit.follow(unfollowed(committed, this, this.opened.segments), this.store.now());
  }

  /**
   * Returns batches from `from` on, clipped to the range asked for; none if there is nothing (yet).
   * Rejects with `OffsetOutOfRange` outside [startOffset, highWatermark], or `DamagedData`.
   */
  async read(from: Offset, options: ReadOptions = {}): Promise<RecordBatch[]> {
    assertOffset(from);
    const { startOffset: start, readable } = this;
    if (from < start || from > readable) throw new OffsetOutOfRange(from, start, readable);
    try {
      if (options.backwards === true) {
        const until = Math.max(options.until ?? start, start);
        return await this.reader.backwards(from, until, options);
      }
      const until = Math.min(options.until ?? readable, readable);
      return from >= until ? [] : await this.reader.forwards(from, until, options);
    } catch (error) {
      const { startOffset } = this;
      if (error instanceof SegmentChanged || from < startOffset) return this.read(from, options);
      // The files of a dropped log are gone, which is no failure of the disk.
      const closed = this.store.readOnly ? null : this.closedBecause;
      throw closed ?? diskError(`reading log ${this.name}`, error);
    }
  }

  /**
   * Calls `wake` once, in a microtask, when the high watermark is beyond `offset` (it may be now)
   * or the log has stopped; `highWatermark` tells which. Returns a function that cancels.
   */
  whenBeyond(offset: Offset, wake: () => void): () => void {
    const cancel = this.waiters.add(offset, wake);
    if (this.closedBecause !== null) this.waiters.wakeAll();
    else this.waiters.wakeBelow(this.readable);
    return cancel;
  }

  /** The lowest offset whose timestamp is at least `timestamp`; the high watermark if none is. */
  async offsetFor(timestamp: number): Promise<Offset> {
    const found = await this.reader.offsetFor(timestamp, this.startOffset, this.readable);
    return Math.max(found ?? this.readable, this.startOffset);
  }

  /** The offsets of records that carry the index term `term`. */
  find(term: string, options: FindOptions = {}): AsyncGenerator<Offset> {
    return offsetsOf(this, term, options);
  }

  /** Offsets of records that carry, or seem to carry (hashes can collide), a term of each list. */
  async *candidates(
    terms: readonly (readonly string[])[],
    options: FindOptions = {},
  ): AsyncGenerator<Offset> {
    const from = Math.max(options.from ?? 0, this.startOffset);
    const until = Math.min(options.until ?? this.readable, this.readable);
    const isBackwards = options.order === 'newest';
    for await (const offset of this.reader.candidates(terms, from, until, isBackwards)) {
      if (offset >= this.startOffset) yield offset;
    }
  }

  /**
   * Removes whole sealed segments below `offset`; returns where the first remaining one begins.
   * `DiskFull` if even the reserve cannot record this: the segments are hidden then; try again.
   */
  trimTo(offset: Offset): Promise<Offset> {
    return this.upkeep.trimTo(offset);
  }

  /** Hides offsets below `offset` from readers. In memory only: call it again after a start. */
  hideBelow(offset: Offset): void {
    this.upkeep.hideBelow(Math.min(offset, this.readable));
  }

  /**
   * Seals the growing segment, if it holds records, so that an idle log can be trimmed to its end
   * and compacted. Rejects like an append; after `DiskFull` it is sealed once there is room.
   */
  async roll(): Promise<void> {
    if (this.closedBecause !== null) throw this.closedBecause;
    await this.commit.endSegment();
    const full = await this.writer.sealed();
    if (this.store.fence.error !== null) throw this.store.fence.error;
    if (full !== null) throw full;
  }

  /**
   * Removes records from the sealed segments if a later one has the same key; storage/README.md
   * says what stays. Rejects with `DamagedData`, with `DiskFull` (the log stays usable) or like an
   * append; the work done until then stays done.
   */
  compact(options: CompactionOptions): Promise<CompactionReport> {
    return this.upkeep.compact(options);
  }

  /** See `sweep` in compaction/. Rejects like `compact`, or as `keeps` or `settled` throws. */
  sweep(options: SweepOptions): Promise<SweepReport> {
    return this.upkeep.sweep(options);
  }

  /** Seals segments that recovery found complete, and merges small neighbours. For the store. */
  keepUp(): Promise<void> {
    return this.upkeep.keepUp();
  }

  /** Offsets below this were compacted: there each key occurs once, apart from damaged segments. */
  get compactedUntil(): Offset {
    return this.upkeep.compactedUntil;
  }

  /** Creates the next segment ahead of time. */
  prepare(): Promise<void> {
    return this.writer.prepare();
  }

  /** Refuses appends, wakes waiting readers and lets writes in flight finish. For the store. */
  async stop(reason: Error = new LogClosed(`log ${this.name} is closed`)): Promise<void> {
    this.refuse(reason);
    await this.upkeep.idle();
    await this.commit.idle();
  }

  /** Refuses all further appends with `error`, because the store has failed. For the store. */
  fence(error: Error): void {
    this.refuse(error);
    this.commit.refuse(error);
  }

  /** Runs fdatasync in the lazy modes. For the store. */
  async sync(): Promise<void> {
    const { readable } = this;
    await this.writer.sync();
    this.mark.synced(readable);
  }

  /** Closes the files; returns the segment that was growing. For the store. */
  closeWriter(): Promise<Segment | null> {
    return this.writer.close();
  }

  /** Removes the files of a dropped log; false if some stay. Only the store calls it. */
  removeAllFiles(): Promise<boolean> {
    return this.upkeep.removeAllFiles();
  }

  /** Whether there is a record at `offset`: it was not trimmed, compacted or swept. */
  async has(offset: Offset): Promise<boolean> {
    if (offset < this.startOffset || offset >= this.readable) return false;
    const [batch] = await this.read(offset, { maxRecords: 1, until: offset + 1 });
    return batch?.record(offset) != null;
  }

  /** Reads every batch again; rejects with `DamagedData` at the first damaged one. */
  verify(): Promise<void> {
    return this.reader.verify();
  }

  private refuse(reason: Error): void {
    this.closedBecause ??= reason;
    this.upkeep.stop(reason);
    this.waiters.wakeAll();
  }

  private committed(group: AppendGroup): void {
    this.writer.committed(group);
    this.readable = group.nextOffset;
    this.mark.committed(this.readable);
    if (this.waiters.waiting.size > 0) this.waiters.wakeBelow(this.readable);
  }
}
