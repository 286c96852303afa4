/** Many appends, one write and one fdatasync: the one in flight is the timer of the next. */
import { AppendGroup, type BufferPool } from './append-group.js';
import type { Offset } from './offset.js';
import type { RecordInput } from './record.js';

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
  /** Writes a group and makes it as durable as the mode asks. */
  write(group: AppendGroup): Promise<void>;
  /** The group is in: called before its promise settles. */
  committed(group: AppendGroup): void;
  /** The segment ends here: what comes next goes to another one. */
  endSegment(): Promise<void>;
  /** A group failed: called once; every group from then on is refused with the same error. */
  failed(error: unknown): Error;
}

/** The commit loop of one log: one group in flight, one open. */
export class GroupCommit {
  private open: AppendGroup;
  private spare: AppendGroup;
  private running: Promise<void> | null = null;
  private failure: Error | null = null;
  /** Append times never fall, whatever the clock does. */
  private lastTime: number;

  constructor(
    private readonly target: CommitTarget,
    pool: BufferPool,
    nextOffset: Offset,
    lastTime: number,
  ) {
    this.open = new AppendGroup(pool);
    this.spare = new AppendGroup(pool);
    this.open.open(nextOffset);
    this.lastTime = lastTime;
  }

  /** The offset that the next record will get. */
  get endOffset(): Offset {
    return this.open.nextOffset;
  }

  append(records: readonly RecordInput[], now: number): Appended {
    if (this.failure !== null) throw this.failure;
    if (records.length === 0) throw new RangeError('an append needs a record');
    const { open } = this;
    const timestamp = Math.max(now, this.lastTime);
    const baseOffset = open.nextOffset;
    open.append(records, timestamp);
    this.lastTime = timestamp;
    this.running ??= this.run();
    return { baseOffset, nextOffset: open.nextOffset, timestamp, durable: open.durable };
  }

  /** Lets the segment end behind what was appended so far; settles when it has. */
  endSegment(): Promise<void> {
    if (this.failure !== null) return Promise.reject(this.failure);
    this.open.endsSegment = true;
    this.running ??= this.run();
    return this.open.durable;
  }

  /** Settles when nothing is waiting or in flight. */
  async idle(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  /** Refuses every append from now on; what waits is refused too. */
  refuse(error: Error): void {
    this.failure ??= error;
    this.open.refuse(this.failure);
  }

  private async run(): Promise<void> {
    await thisTickIsOver();
    while (this.failure === null && (this.open.recordCount > 0 || this.open.endsSegment)) {
      const group = this.open;
      group.close();
      this.open = this.spare;
      this.open.open(group.nextOffset);
      try {
        if (group.recordCount > 0) {
          await this.target.write(group);
          this.target.committed(group);
        }
        if (group.endsSegment) await this.target.endSegment();
        group.settle();
      } catch (error) {
        const failure = this.target.failed(error);
        group.refuse(failure);
        this.refuse(failure);
      }
      group.release();
      this.spare = group;
      await thisTickIsOver();
    }
    this.running = null;
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
