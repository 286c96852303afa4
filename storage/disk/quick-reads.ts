/**
 * Short reads on the calling thread. Data that is read repeatedly is in the page cache: a copy from
 * there takes a few microseconds, and a trip through the thread pool ten times as much processor
 * time (ADR 94). Two limits protect the event loop: after a read that had to wait for the disk, all
 * reads go to the pool for a while; and every ninth read goes through the pool, so that a chain of
 * reads, each of which depends on the one before, lets the loop turn.
 */
import { SlowPause } from './slow-pause.js';

/** Longer reads are copies that take long by themselves. */
const lengthMax = 64 * 1024;
const readsPerPool = 8;

/**
 * A read has waited for the disk if it took this long and this process has read blocks since the
 * last slow read: asking before each read as well would cost as much as the read.
 */
const slowMs = 0.3;
/** This is slow even if no block was read: a network file system reads none. */
const verySlowMs = 3;

/** The shortest pause after a slow read. */
const pauseMs = 50;

/** What quick reads need of the machine. */
export interface ReadingMachine {
  readSync(file: number, target: Buffer, offset: number, length: number, position: number): number;
  /** Milliseconds; never falls. */
  now(): number;
  /** How many blocks this process has had to read from disks so far. */
  blocksRead(): number;
}

/** One per process, which has one event loop to protect. */
export class QuickReads {
  /** Short reads since the last one that went through the pool. */
  private sincePool = 0;
  private readonly pause = new SlowPause(pauseMs);
  private blocksRead = 0;

  constructor(private readonly machine: ReadingMachine) {}

  /** Bytes read into `target` from `position` on; null = this read should use the thread pool. */
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
