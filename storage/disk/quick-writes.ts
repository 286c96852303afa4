/**
 * A synced write on the calling thread, if there is nothing else to do: a trip through the thread
 * pool wakes one thread and then this one again, and a single caller waits for both (ADR 111). If
 * others are active, the pool writes, so that the loop continues meanwhile and gathers the next
 * group.
 */
import { SlowPause } from './slow-pause.js';

/** Limits a write and the one before it: longer ones are groups, whose members would wait. */
const lengthMax = 8 * 1024;

/** If the loop has been idle this long since the last write ended, nothing was waiting. */
const idleMsMin = 0.005;

/**
 * The count of lone writes rises by one with each of them and falls by two with every other write:
 * it stays high only if more than two of three writes are alone.
 */
const fallsBy = 2;
const aloneMin = 4;
const aloneMax = 8;

/** A disk that takes longer is slow; `pauseMs` is the shortest pause after it. */
const slowMs = 1;
const pauseMs = 10;

/** What quick writes need of the machine. */
export interface WritingMachine {
  writeSync(file: number, source: Buffer, offset: number, length: number, position: number): number;
  /** Milliseconds; never falls. */
  now(): number;
  /** How long the event loop has been idle so far, milliseconds. */
  idleMs(): number;
}

/** One per process, which has one event loop that a write holds. */
export class QuickWrites {
  private readonly pause = new SlowPause(pauseMs);
  private idleAtLast = 0;
  private lengthOfLast = 0;
  /** See `fallsBy`. */
  private alone = 0;

  constructor(private readonly machine: WritingMachine) {}

  /** Bytes of `source` written and synced; null = this write should use the pool. */
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

  /** A write of `length` bytes has ended, here or in the pool. */
  ended(length: number): void {
    this.idleAtLast = this.machine.idleMs();
    this.lengthOfLast = length;
  }
}
