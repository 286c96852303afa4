/** Standard error as the log writes to it: a line at once, or later where it takes none. */
import { type DestinationStream, pino } from 'pino';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import { systemClock } from '../../engine/clock.js';

/** Standard output belongs to the few lines that people and launchers read. */
const standardError = 2;

/** Lines that wait while standard error takes none, in UTF-16 units; more are dropped. */
const waitingMax = 1024 * 1024;

/** So often they are tried again, if no other line comes before. */
const againMs = 500;

/** How long a slow reader holds up the end of the process at most, and how often it is tried. */
const lastMs = 1000;
const lastTries = 10;

/**
 * One for the process. The server goes on where it cannot be written: to a file on a full disk, to
 * a terminal that is gone, to a pipe whose reader has stopped.
 */
export class StandardError implements DestinationStream {
  private readonly lines = pino.destination({
    dest: standardError,
    sync: true,
    maxLength: waitingMax,
    // It would sleep until the reader of a pipe takes more, and the whole server with it.
    retryEAGAIN: () => false,
  });
  /** Why lines wait: a pipe is full, whose reader may only be slow. */
  private isFull = false;
  private isTriedLater = false;

  constructor() {
    this.lines.on('error', (error) => {
      this.isFull = errorCode(error) === 'EAGAIN';
      this.tryLater();
    });
    this.lines.on('drop', () => {
      this.isFull = true;
      this.tryLater();
    });
    process.on('exit', () => this.writeRest());
  }

  write(line: string): void {
    this.isFull = false;
    this.lines.write(line);
  }

  private tryLater(): void {
    if (this.isTriedLater) return;
    this.isTriedLater = true;
    systemClock.after(againMs, () => {
      this.isTriedLater = false;
      // A line for which there is no room is dropped untried; this one has those written that wait.
      this.write('');
    });
  }

  /** Why a process ends stands in its last lines. */
  private writeRest(): void {
    const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    for (let tries = 0; this.isFull && tries < lastTries; tries += 1) {
      Atomics.wait(cell, 0, 0, lastMs / lastTries);
      this.write('');
    }
  }
}
