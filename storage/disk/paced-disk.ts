/** A disk that is read no faster than a given rate: for work in the background. */
import type { Disk } from './disk.js';
import type { Timer } from './timer.js';

/** Waits are at least this long: a timer for each small read would cost more than it saves. */
const waitMsMin = 20;

/**
 * Only `read` is slowed down; writes and syncs run at once. Made for one user, whose reads share
 * the rate: two of these on one disk read at the sum of both rates.
 */
export class PacedDisk {
  /** The disk whose reads wait, so that they bring at most `bytesPerSecond`. */
  readonly disk: Disk;
  private owedMs = 0;
  private stopped: Error | null = null;
  private wake: () => void = () => undefined;

  constructor(
    disk: Disk,
    private readonly bytesPerSecond: number,
    private readonly after: Timer,
  ) {
    const read: Disk['read'] = async (file, target, position) => {
      await this.pause();
      const length = await disk.read(file, target, position);
      this.owedMs += (length / this.bytesPerSecond) * 1000;
      return length;
    };
    // A disk may be a class instance, whose methods a spread would lose.
    this.disk = new Proxy(disk, {
      get: (own, name: keyof Disk) => (name === 'read' ? read : own[name].bind(own)),
    });
  }

  /** Makes every further read, and one that is waiting, reject with `reason`. */
  stop(reason: Error): void {
    this.stopped = reason;
    this.wake();
  }

  private async pause(): Promise<void> {
    if (this.owedMs >= waitMsMin && this.stopped === null) {
      const delayMs = this.owedMs;
      this.owedMs = 0;
      await new Promise<void>((resolve) => {
        const cancel = this.after(delayMs, resolve);
        this.wake = () => {
          cancel();
          resolve();
        };
      });
    }
    if (this.stopped !== null) throw this.stopped;
  }
}
