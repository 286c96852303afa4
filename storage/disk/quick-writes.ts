/**
 * A synced write on the thread that asks, where nothing else is there to be done: a trip through
 * the thread pool wakes a thread and then this one, and who waits alone waits for both (ADR 111).
 * Where there is company, the pool writes, so that the loop goes on meanwhile and gathers the next
 * group.
 */
import { SlowPause } from './slow-pause.js';

/** Of a write and of the one before it: longer ones are groups, whose members would wait. */
const lengthMax = 8 * 1024;

/** The loop has slept since the last write ended, so that nothing was waiting. */
const idleMsMin = 0.005;

/**
 * The count of writes that were alone rises by one with each of them and falls by two with each
 * other one: it stays high only where more than two of three are alone.
 */
const fallsBy = 2;
const aloneMin = 4;
const aloneMax = 8;

/** A disk that takes longer is not quick; and the shortest pause after it. */
const slowMs = 1;
const pauseMs = 10;

/** What it asks of the machine. */
export interface WritingMachine {
  writeSync(file: number, source: Buffer, offset: number, length: number, position: number): number;
  /** Milliseconds; it never falls. */
  now(): number;
  /** For how long the event loop has had nothing to do so far, milliseconds. */
  idleMs(): number;
}

/** One for the process: the event loop that it holds is one as well. */
export class QuickWrites {
  private readonly pause = new SlowPause(pauseMs);
  private idleAtLast = 0;
  private lengthOfLast = 0;
  /** See `fallsBy`. */
  private alone = 0;

  constructor(private readonly machine: WritingMachine) {}

  /** Bytes of `source` that are written and synced; null = this write is one for the pool. */
  write(file: number, source: Buffer, position: number): number | null {
    const { machine } = this;
    const { length } = source;
    const isAlone =
      Math.max(length, this.lengthOfLast) <= lengthMax &&
      machine.idleMs() - this.idleAtLast >= idleMsMin;
    this.alone = isAlone ? Math.min(this.alone + 1, aloneMax) : Math.max(this.alone - fallsBy, 0);
    if (!isAlone || this.alone < aloneMin) return null;
    const startedAt = machine.now();
    if (this.pause.isOn(startedAt)) return null;
    const written = machine.writeSync(file, source, 0, length, position);
    const endedAt = machine.now();
    if (endedAt - startedAt >= slowMs) this.pause.begin(startedAt, endedAt);
    return written;
  }

  /** A write of so many bytes has ended, here or in the pool. */
  ended(length: number): void {
    this.idleAtLast = this.machine.idleMs();
    this.lengthOfLast = length;
  }
}
