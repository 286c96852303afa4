/**
 * Short reads on the thread that asks. What is read again and again lies in the page cache: a copy
 * from there takes a few microseconds, and a trip through the thread pool ten times as much of the
 * processor (ADR 94). Two bounds keep the event loop going. A read that had to wait for the disk
 * sends all others to the pool for a while. And a row of reads, each of which follows from the one
 * before without a turn of the loop, has one that goes through the pool now and then.
 */
/** Longer ones are copies that take long by themselves. */
const lengthMax = 64 * 1024;
const inARowMax = 8;

/** It has waited for the disk where it took so long, and blocks were read meanwhile. */
const slowMs = 0.3;
/** So long is slow even where no block was read: a file system of another machine has none. */
const verySlowMs = 3;

/** The pause after a slow read; it doubles while the first read after it is slow again. */
const pauseMsMin = 50;
const pauseMsMax = 3200;

/** What it asks of the machine. */
export interface ReadingMachine {
  readSync(file: number, target: Buffer, offset: number, length: number, position: number): number;
  /** Milliseconds; it never falls. */
  now(): number;
  /** Blocks that this process has had to read from disks so far. */
  blocksRead(): number;
}

/** One for the process: the event loop that it keeps going is one as well. */
export class QuickReads {
  private inARow = 0;
  private pausedUntil = Number.NEGATIVE_INFINITY;
  private pauseMs = pauseMsMin;
  private blocksRead = 0;

  constructor(private readonly machine: ReadingMachine) {}

  /** Bytes read into `target` from `position` on; null = this read is one for the thread pool. */
  read(file: number, target: Buffer, position: number): number | null {
    const { machine } = this;
    const { length } = target;
    if (length > lengthMax) return null;
    const startedAt = machine.now();
    if (startedAt < this.pausedUntil) return null;
    this.inARow += 1;
    if (this.inARow > inARowMax) {
      this.inARow = 0;
      return null;
    }
    const read = machine.readSync(file, target, 0, length, position);
    const endedAt = machine.now();
    if (this.hasWaited(endedAt - startedAt)) this.pause(startedAt, endedAt);
    return read;
  }

  private hasWaited(tookMs: number): boolean {
    if (tookMs < slowMs) return false;
    const before = this.blocksRead;
    this.blocksRead = this.machine.blocksRead();
    return this.blocksRead > before || tookMs >= verySlowMs;
  }

  private pause(startedAt: number, endedAt: number): void {
    const isAgain = startedAt - this.pausedUntil < this.pauseMs;
    this.pauseMs = isAgain ? Math.min(this.pauseMs * 2, pauseMsMax) : pauseMsMin;
    this.pausedUntil = endedAt + this.pauseMs;
  }
}
