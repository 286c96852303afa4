/**
 * Says that the disk does not answer: until it does nothing is acknowledged, and no metric moves,
 * as they count what has ended.
 */
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { systemClock } from '../../engine/clock.js';
import type { ProcessLife } from '../../engine/lifecycle/process-life.js';

/** What takes longer is something that an operator should know of. */
const silentMs = 10_000;
const lookEveryMs = 1000;

/** The name of the warning. */
const warning = 'disk';

interface Call {
  /** Monotonic milliseconds of the machine: a disk goes by no other clock. */
  readonly startedAt: number;
}

/** One for the store of the server; it looks while the disk is asked something. */
export class DiskWatch {
  /** In the order in which they began. */
  private readonly underWay = new Set<Call>();
  private isLooking = false;
  private isSilent = false;

  constructor(
    private readonly life: Pick<ProcessLife, 'warn'>,
    private readonly log: Logger,
  ) {}

  /** The same disk, of which what makes bytes durable is watched. */
  over(disk: Disk): Disk {
    const watched: Partial<Disk> = {
      write: (...place) => this.watched(disk.write(...place)),
      writeSynced: (...place) => this.watched(disk.writeSynced(...place)),
      sync: (file) => this.watched(disk.sync(file)),
      syncDirectory: (path) => this.watched(disk.syncDirectory(path)),
    };
    // A disk may be a class, whose methods a spread would lose.
    return new Proxy(disk, {
      get: (own, name: keyof Disk) => watched[name] ?? own[name].bind(own),
    });
  }

  /** The promise itself, as what waits for it goes on as soon as it would without this. */
  private watched<T>(asked: Promise<T>): Promise<T> {
    const call = { startedAt: systemClock.monotonic() };
    this.underWay.add(call);
    this.lookLater();
    const ended = () => {
      this.underWay.delete(call);
      if (this.isSilent) this.look();
    };
    asked.then(ended, ended);
    return asked;
  }

  private lookLater(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    systemClock.after(lookEveryMs, () => {
      this.isLooking = false;
      this.look();
      if (this.underWay.size > 0) this.lookLater();
    });
  }

  private look(): void {
    const [oldest] = this.underWay;
    const now = systemClock.monotonic();
    const ms = oldest === undefined ? 0 : now - oldest.startedAt;
    const isSilent = ms >= silentMs;
    if (isSilent) this.life.warn(warning, silence(ms));
    else if (this.isSilent) this.life.warn(warning, null);
    if (isSilent && !this.isSilent) this.log.warn(silence(ms));
    else if (!isSilent && this.isSilent) this.log.info('the disk answers again');
    this.isSilent = isSilent;
  }
}

function silence(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `the disk has not answered for ${seconds} s: requests wait for it`;
}
