/**
 * Says that a disk does not answer: until that of the data folder does nothing is acknowledged, and
 * no metric moves, as they count what has ended.
 */
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { systemClock } from '../../engine/clock.js';
import type { ProcessLife } from '../../engine/lifecycle/process-life.js';

/** What takes longer is something that an operator should know of. */
const silentMs = 10_000;
const lookEveryMs = 1000;

/** Which disk is watched, in the words of the warning. */
export interface WatchedDisk {
  /** Of the warning. */
  readonly name: string;
  /** What does not answer. */
  readonly subject: string;
  /** What follows from that. */
  readonly meanwhile: string;
}

/** That of the data folder. */
export const ownDisk: WatchedDisk = {
  name: 'disk',
  subject: 'the disk',
  meanwhile: 'requests wait for it',
};

/** That of `STEPWELL_ARCHIVE_DIR`. */
export const archiveDisk: WatchedDisk = {
  name: 'archive disk',
  subject: 'the disk of STEPWELL_ARCHIVE_DIR',
  meanwhile: 'the journal is not swept, and grows',
};

/** That of `STEPWELL_BACKUP_DIR`, or of what is copied there. */
export const backupDisk: WatchedDisk = {
  name: 'backup disk',
  subject: 'the disk of a backup',
  meanwhile: 'it waits, and no other one begins',
};

interface Call {
  /** Monotonic milliseconds of the machine: a disk goes by no other clock. */
  readonly startedAt: number;
}

/** One for each disk of the server; it looks while that is asked something. */
export class DiskWatch {
  /** In the order in which they began. */
  private readonly underWay = new Set<Call>();
  private isLooking = false;
  private isSilent = false;

  constructor(
    private readonly life: Pick<ProcessLife, 'warn'>,
    private readonly log: Logger,
    private readonly watched: WatchedDisk,
  ) {}

  /** The disk is asked something from now on, until what this answers is called. */
  began(): () => void {
    const call = { startedAt: systemClock.monotonic() };
    this.underWay.add(call);
    this.lookLater();
    return () => {
      this.underWay.delete(call);
      if (this.isSilent) this.look();
    };
  }

  /** The same disk; every call of it is watched. */
  over(disk: Disk): Disk {
    // A disk may be a class, whose methods a spread would lose.
    return new Proxy(disk, {
      get: (own, name: keyof Disk) => {
        // Its methods differ in what they take, which is passed on as it is.
        const call = own[name].bind(own) as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => call(...given).finally(this.began());
      },
    });
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
    const { name, subject, meanwhile } = this.watched;
    const silence = `${subject} has not answered for ${Math.floor(ms / 1000)} s: ${meanwhile}`;
    if (isSilent) this.life.warn(name, silence);
    else if (this.isSilent) this.life.warn(name, null);
    if (isSilent && !this.isSilent) this.log.warn(silence);
    else if (!isSilent && this.isSilent) this.log.info(`${subject} answers again`);
    this.isSilent = isSilent;
  }
}
