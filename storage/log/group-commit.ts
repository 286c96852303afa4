/** Many appends share one write and one fdatasync: while a group is written, the next one fills. */
import type { Timer } from '../disk/timer.js';
import type { Fence } from '../faults/fence.js';
import type { DiskFull } from '../faults/storage-errors.js';
import type { EncodedRecords } from '../format/encoded-records.js';
import type { RecordInput } from '../format/record.js';
import type { Offset } from '../offsets/offset.js';
import { AppendGroup, Settlement } from './append-group.js';
import type { BufferPool } from './group-part.js';

/** What an append returns at once, before anything is written. */
export interface Appended {
  /** The records lie at [baseOffset, nextOffset). */
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  /** The append time in ms: the timestamp of every record that had none. */
  readonly timestamp: number;
  /** One promise for the whole commit group; see the fsync modes for what it proves. */
  readonly durable: Promise<void>;
}

/** Where commit groups are written. */
export interface CommitTarget {
  /** Why only records committed by others are appended now; null if all appends are accepted. */
  readonly refusal: Error | null;
  /**
   * Whether each group is expensive, whatever it holds: then a group collects all appends of one
   * round of the event loop, and is not closed as soon as the group before it is shared.
   */
  readonly gathers: boolean;
  /**
   * Makes a group count for other machines too, before it is written here; null if only this folder
   * counts. The next group may be shared while this one is being written.
   */
  share(group: AppendGroup): Promise<void> | null;
  /** Makes a group as durable as the fsync mode asks, or returns why none of it was written. */
  write(group: AppendGroup): Promise<DiskFull | null>;
  /** Ends the segment here: the next group goes to another one. */
  endSegment(): Promise<void>;
}

/** The store of the log, which is fenced by the first group that fails. */
export interface CommittingStore {
  readonly buffers: BufferPool;
  readonly fence: Fence;
  /** A group with this many records goes to the disk; call the result once it is there. */
  committing(records: number): () => void;
  readonly after: Timer;
}

/** A group that takes no more appends and is on its way to the disk. */
interface ClosedGroup {
  readonly group: AppendGroup;
  /** Settled once the segment has ended behind this group; null if the segment goes on. */
  readonly ending: Settlement | null;
  /** Call it once the group is on disk; null if the group is empty. */
  readonly written: (() => void) | null;
}

/** An append that nothing waits for joins the next group, or gets its own after this time. */
const lingerMs = 5;
/**
 * How far ahead, in ms, the clock of another machine may be: commit times further ahead are not
 * believed. Timestamps that producers set often are.
 */
const clockDifferenceMaxMs = 60_000;

/** The log's state when it is opened. */
interface CommittingLog {
  readonly id: number;
  readonly nextOffset: Offset;
  readonly lastTime: number;
}

/**
 * The commit loop of one log: one group in flight and one open; if groups are shared with other
 * machines, one more that is being written here meanwhile.
 */
export class GroupCommit {
  private open: AppendGroup;
  private readonly spares: AppendGroup[] = [];
  private running: Promise<void> | null = null;
  /** The write of the group that was shared last. */
  private writing: Promise<void> | null = null;
  /** The open group is to be written now, without waiting for more. */
  private isDue = false;
  private isLingering = false;
  /** A requested end of the segment, behind the open group. */
  private ending: Settlement | null = null;
  private failure: Error | null = null;
  /** Append times never fall, even if the clock does. */
  private lastTime: number;

  constructor(
    private readonly store: CommittingStore,
    private readonly log: CommittingLog,
    private readonly target: CommitTarget,
    /** Called with each committed group, before its promise settles. */
    private readonly committed: (group: AppendGroup) => void,
  ) {
    this.open = this.emptyGroup(log.nextOffset);
    this.lastTime = Math.floor(log.lastTime);
  }

  /** The offset that the next record will get. */
  get endOffset(): Offset {
    return this.open.nextOffset;
  }

  /**
   * See `PartitionLog.append`. Throws the error of an earlier failure, or the reason why the target
   * accepts nothing now.
   */
  append(records: readonly RecordInput[], now: number, lingers: boolean): Appended {
    const refusal = this.failure ?? this.target.refusal;
    if (refusal !== null) throw refusal;
    if (records.length === 0) throw new RangeError('an append needs a record');
    const { open } = this;
    const timestamp = Math.max(now, this.lastTime);
    const baseOffset = open.nextOffset;
    open.append(records, timestamp);
    const durable = this.taken(timestamp, lingers);
    return { baseOffset, nextOffset: open.nextOffset, timestamp, durable };
  }

  /**
   * Appends records that another machine has committed, at their offsets there; the first of them
   * must be the next offset here. `null` means there is nothing to append.
   */
  follow(records: EncodedRecords | null, now: number): Promise<void> {
    if (this.failure !== null) throw this.failure;
    if (records === null) return Promise.resolve();
    const { maxTimestamp } = records;
    // A time this far ahead was set by a producer: it must not raise later append times.
    const time = maxTimestamp > now + clockDifferenceMaxMs ? now : maxTimestamp;
    const timestamp = Math.max(time, this.lastTime);
    this.open.follow(records, timestamp);
    this.open.isFollowed = true;
    return this.taken(timestamp, false);
  }

  /** Called when the open group has received records, as of `timestamp`. */
  private taken(timestamp: number, lingers: boolean): Promise<void> {
    this.lastTime = timestamp;
    if (lingers) this.linger();
    else this.flush();
    return this.open.commit.promise;
  }

  /** Writes what was appended so far without waiting for further appends. */
  flush(): void {
    if (this.open.recordCount === 0) return;
    this.isDue = true;
    this.running ??= this.run();
  }

  private linger(): void {
    if (this.isDue || this.isLingering) return;
    this.isLingering = true;
    this.store.after(lingerMs, () => {
      this.isLingering = false;
      this.flush();
    });
  }

  /** Ends the segment behind what was appended so far; settles when it has ended. */
  endSegment(): Promise<void> {
    if (this.failure !== null) return Promise.reject(this.failure);
    this.ending ??= new Settlement();
    this.running ??= this.run();
    return this.ending.promise;
  }

  /** Settles when nothing is waiting or in flight. */
  async idle(): Promise<void> {
    this.flush();
    while (this.running !== null || this.writing !== null) await (this.running ?? this.writing);
  }

  /** Refuses every append from now on, and those that are waiting. */
  refuse(error: Error): void {
    this.failure ??= error;
    this.open.commit.refuse(this.failure);
    this.ending?.refuse(this.failure);
  }

  private async run(): Promise<void> {
    await this.gathered();
    while (this.failure === null && (this.isDue || this.ending !== null)) {
      const next = this.closeOpen();
      const { group } = next;
      const shared = group.recordCount === 0 ? null : this.target.share(group);
      if (shared === null && this.writing === null) await this.write(next);
      else await this.writeBehind(shared, next);
      await this.gathered();
    }
    this.running = null;
  }

  /** Settles when the appends that belong together have arrived. */
  private gathered(): Promise<void> {
    // Groups that others have committed arrive one after the other: do not wait for more.
    return this.target.gathers && !this.open.isFollowed ? thisRoundIsOver() : thisTickIsOver();
  }

  private closeOpen(): ClosedGroup {
    const { open: group, ending } = this;
    group.close();
    this.ending = null;
    this.isDue = false;
    this.open = this.emptyGroup(group.nextOffset);
    const written = group.recordCount === 0 ? null : this.store.committing(group.recordCount);
    return { group, ending, written };
  }

  private emptyGroup(baseOffset: Offset): AppendGroup {
    const group = this.spares.pop() ?? new AppendGroup(this.store.buffers);
    group.open(baseOffset);
    return group;
  }

  /**
   * Settles once the group is shared and its write has begun. The write begins when the write
   * before it has ended, so sharing is never more than one group ahead of writing.
   */
  private async writeBehind(shared: Promise<void> | null, next: ClosedGroup): Promise<void> {
    try {
      await shared;
      await this.writing;
      if (this.failure !== null) throw this.failure;
    } catch (error) {
      this.failed(error, next);
      return;
    }
    this.writing = this.write(next).then(() => {
      this.writing = null;
    });
  }

  /** Never rejects: a failure refuses everything that is waiting. */
  private async write(closed: ClosedGroup): Promise<void> {
    const { group, ending } = closed;
    try {
      await this.commit(closed);
      if (ending !== null) await this.target.endSegment();
      ending?.settle();
    } catch (error) {
      this.failed(error, closed);
    }
    group.release();
    this.spares.push(group);
  }

  private failed(error: unknown, { group, ending }: ClosedGroup): void {
    const failure = this.store.fence.fail(`writing log ${this.log.id}`, error);
    group.commit.refuse(failure);
    ending?.refuse(failure);
    this.refuse(failure);
  }

  /**
   * If there is no room, the group is refused together with everything appended behind it
   * meanwhile. Their offsets are not assigned again: a caller may have noted them.
   */
  private async commit({ group, written }: ClosedGroup): Promise<void> {
    if (written === null) return;
    const full = await this.target.write(group);
    if (full === null) {
      written();
      this.committed(group);
      group.commit.settle();
      return;
    }
    group.commit.refuse(full);
    this.open.commit.refuse(full);
    this.open.open(this.open.nextOffset);
  }
}

/**
 * Settles when every promise reaction that is due has run: callers released by one commit, or
 * served in one event of the loop, share the next group. Not a timer: it stays in the same tick.
 */
function thisTickIsOver(): Promise<void> {
  return new Promise((resolve) => {
    queueMicrotask(() => process.nextTick(resolve));
  });
}

/**
 * Settles when all sockets that were ready at once have been read. A single writer does not wait:
 * there is nothing else to read.
 */
function thisRoundIsOver(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
