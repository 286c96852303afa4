/**
 * Standard error as the log writes to it: each line at once, or later if it cannot be written now.
 */
import { type DestinationStream, pino } from 'pino';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import { systemClock } from '../../engine/clock.js';

/** Not standard output, which is for the few lines that people and launchers read. */
const standardError = 2;

/**
 * The limit of waiting lines while standard error accepts none, in UTF-16 units; further lines are
 * dropped.
 */
const waitingMax = 1024 * 1024;

/** How often writing them is retried, if no other line comes before. */
const againMs = 500;

/** How long a slow reader may delay the end of the process, and how many retries are made. */
const lastMs = 1000;
const lastTries = 10;

/**
 * One instance per process. The server continues if standard error cannot be written: a file on a
 * full disk, a terminal that is gone, a pipe whose reader has stopped.
 */
export class StandardError implements DestinationStream {
  private readonly lines = pino.destination({
    dest: standardError,
    sync: true,
    maxLength: waitingMax,
    // Otherwise pino would block until the reader of a pipe reads on, and the whole server with it.
    retryEAGAIN: () => false,
  });
  /** Whether lines wait because a pipe is full; its reader may only be slow. */
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
      // A line without room is dropped at once; this empty line makes pino write the waiting ones.
      this.write('');
    });
  }

  /** The last lines say why a process ends. */
  private writeRest(): void {
    const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    for (let tries = 0; this.isFull && tries < lastTries; tries += 1) {
      Atomics.wait(cell, 0, 0, lastMs / lastTries);
      this.write('');
    }
  }
}
