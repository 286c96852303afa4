/**
 * Short reads on the thread that asks. What is read again and again lies in the page cache: a copy
 * from there takes a few microseconds, and a trip through the thread pool ten times as much of the
 * processor (ADR 94). Two bounds keep the event loop going. A read that had to wait for the disk
 * sends all others to the pool for a while. And every ninth read goes through the pool, so that a
 * chain of reads, each of which follows from the one before, lets the loop turn.
 */
import { SlowPause } from './slow-pause.js';

/** Longer ones are copies that take long by themselves. */
const lengthMax = 64 * 1024;
const readsPerPool = 8;

/**
 * It has waited for the disk where it took so long, and this process has read blocks since the slow
 * read before it: to ask before each read as well would cost as much as the read.
 */
const slowMs = 0.3;
/** So long is slow even where no block was read: a file system of another machine has none. */
const verySlowMs = 3;

/** The shortest pause after a slow read. */
const pauseMs = 50;

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
  /** Short reads since one went through the pool. */
  private sincePool = 0;
  private readonly pause = new SlowPause(pauseMs);
  private blocksRead = 0;

  constructor(private readonly machine: ReadingMachine) {}

  /** Bytes read into `target` from `position` on; null = this read is one for the thread pool. */
  read(file: number, target: Buffer, position: number): number | null {
    const { machine } = this;
    const { length } = target;
    if (length > lengthMax) return null;
    const startedAt = machine.now();
    if (this.pause.isOn(startedAt)) return null;
    this.sincePool += 1;
    if (this.sincePool > readsPerPool) {
      this.sincePool = 0;
      return null;
    }
    const read = machine.readSync(file, target, 0, length, position);
    const endedAt = machine.now();
    if (this.hasWaited(endedAt - startedAt)) this.pause.begin(startedAt, endedAt);
    return read;
  }

  private hasWaited(tookMs: number): boolean {
    if (tookMs < slowMs) return false;
    const before = this.blocksRead;
    this.blocksRead = this.machine.blocksRead();
    return this.blocksRead > before || tookMs >= verySlowMs;
  }
}
