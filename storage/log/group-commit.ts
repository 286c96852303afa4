/** Many appends share one write and one fdatasync: while a group is written, the next one fills. */
import type { Timer } from '../disk/timer.js';
import type { Fence } from '../faults/fence.js';
import type { DiskFull } from '../faults/storage-errors.js';
import type { EncodedRecords } from '../format/encoded-records.js';
import type { RecordInput } from '../format/record.js';
import type { Offset } from '../offsets/offset.js';
import { AppendGroup, Settlement } from './append-group.js';
import type { BufferPool } from './group-part.js';

/** What an append was given, at once, before anything is written. */
export interface Appended {
  /** The records lie at [baseOffset, nextOffset). */
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  /** The append time, ms: the timestamp of every record that brought none. */
  readonly timestamp: number;
  /** One promise for the whole commit group; see the fsync modes for what it proves. */
  readonly durable: Promise<void>;
}

/** Where the groups go. */
export interface CommitTarget {
  /** Why nothing is appended now but what others have committed; null where all is. */
  readonly refusal: Error | null;
  /**
   * A group costs much, whatever it holds: it takes all that one round of the event loop brings,
   * and is not closed as soon as the one before it is shared.
   */
  readonly gathers: boolean;
  /**
   * Makes a group count for other machines too, before it is written here; null where it is this
   * folder alone that counts. The next group may be shared while this one is written.
   */
  share(group: AppendGroup): Promise<void> | null;
  /** Makes a group as durable as the mode asks; or returns why none of it was written. */
  write(group: AppendGroup): Promise<DiskFull | null>;
  /** The segment ends here: what comes next goes to another one. */
  endSegment(): Promise<void>;
}

/** The store of the log: the first group that fails fences it. */
export interface CommittingStore {
  readonly buffers: BufferPool;
  readonly fence: Fence;
  /** A group of so many records goes to the disk; call the answer when it is there. */
  committing(records: number): () => void;
  readonly after: Timer;
}

/** A group that takes no more, on its way. */
interface ClosedGroup {
  readonly group: AppendGroup;
  /** The segment ends behind it. */
  readonly ending: Settlement | null;
  /** Call it when the group is there; null where it is empty. */
  readonly written: (() => void) | null;
}

/** An append that no caller waits for shares the next group, or has its own so much later. */
const lingerMs = 5;
/**
 * So far ahead a clock of another machine may be, in ms: by one that is further ahead nothing is
 * committed. What producers say of their records often is.
 */
const clockDifferenceMaxMs = 60_000;

/** The log, as it is when it is opened. */
interface CommittingLog {
  readonly id: number;
  readonly nextOffset: Offset;
  readonly lastTime: number;
}

/**
 * The commit loop of one log: one group in flight, one open; where groups are shared with other
 * machines, one more that is written here meanwhile.
 */
export class GroupCommit {
  private open: AppendGroup;
  private readonly spares: AppendGroup[] = [];
  private running: Promise<void> | null = null;
  /** The write of the group that was shared last. */
  private writing: Promise<void> | null = null;
  /** The open group is to be written, and not to wait for more. */
  private isDue = false;
  private isLingering = false;
  /** Asked for, behind the open group. */
  private ending: Settlement | null = null;
  private failure: Error | null = null;
  /** Append times never fall, whatever the clock does. */
  private lastTime: number;

  constructor(
    private readonly store: CommittingStore,
    private readonly log: CommittingLog,
    private readonly target: CommitTarget,
    /** Called with each group that is in, before its promise settles. */
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
   * See `PartitionLog.append`. Throws what an earlier failure was, or why the target takes nothing
   * now.
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
   * Appends what another machine has committed, at the offsets that it has there; the first of them
   * has to be the next one here. Null = there is nothing to append.
   */
  follow(records: EncodedRecords | null, now: number): Promise<void> {
    if (this.failure !== null) throw this.failure;
    if (records === null) return Promise.resolve();
    const { maxTimestamp } = records;
    // What no clock says was given by a producer: later appends are not of that time.
    const time = maxTimestamp > now + clockDifferenceMaxMs ? now : maxTimestamp;
    const timestamp = Math.max(time, this.lastTime);
    this.open.follow(records, timestamp);
    this.open.isFollowed = true;
    return this.taken(timestamp, false);
  }

  /** The open group has more, as of `timestamp`. */
  private taken(timestamp: number, lingers: boolean): Promise<void> {
    this.lastTime = timestamp;
    if (lingers) this.linger();
    else this.flush();
    return this.open.commit.promise;
  }

  /** What was appended so far waits for no other append any more. */
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

  /** Lets the segment end behind what was appended so far; settles when it has. */
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

  /** Refuses every append from now on; what waits is refused too. */
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

  /** Settles when what comes together has come. */
  private gathered(): Promise<void> {
    // What others have committed comes one after the other: it waits for nothing.
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
   * Settles once the group is shared and its write has begun, which is when the one before it has
   * ended: what is shared is never more than one group ahead of what is written.
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

  /** Never rejects: a failure refuses all that waits. */
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
   * For want of room the group is refused, and with it what was appended behind it meanwhile. Their
   * offsets are not given out again: a caller may have noted them.
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
 * Settles when every promise reaction that is due has run: all who were released by one commit, or
 * came in with one event of the loop, share the next group. Not a timer: the same tick.
 */
function thisTickIsOver(): Promise<void> {
  return new Promise((resolve) => {
    queueMicrotask(() => process.nextTick(resolve));
  });
}

/**
 * Settles when all sockets that were ready at once have been read. One writer alone waits for
 * nothing: there is nothing else to read.
 */
function thisRoundIsOver(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
