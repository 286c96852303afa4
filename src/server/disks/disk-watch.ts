/**
 * Reports a disk that does not answer. If it is the disk of the data folder, nothing is
 * acknowledged meanwhile, and no metric shows it, as metrics count completed operations.
 */
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { systemClock } from '../../engine/clock.js';
import type { ProcessLife } from '../../engine/lifecycle/process-life.js';

/** An operator should know about an operation that takes longer. */
const silentMs = 10_000;
const lookEveryMs = 1000;

/** Which disk is watched, in the words of the warning. */
export interface WatchedDisk {
  /** The name of the warning. */
  readonly name: string;
  /** The name of the disk in the warning. */
  readonly subject: string;
  /** The consequence, for the warning. */
  readonly meanwhile: string;
}

/** The disk of the data folder. */
export const ownDisk: WatchedDisk = {
  name: 'disk',
  subject: 'the disk',
  meanwhile: 'requests wait for the disk',
};

/** The disk of `STEPWELL_ARCHIVE_DIR`. */
export const archiveDisk: WatchedDisk = {
  name: 'archive disk',
  subject: 'the disk of STEPWELL_ARCHIVE_DIR',
  meanwhile: 'the journal is not swept and grows',
};

/** The disk of `STEPWELL_BACKUP_DIR`, or of what is copied there. */
export const backupDisk: WatchedDisk = {
  name: 'backup disk',
  subject: 'the disk of a backup',
  meanwhile: 'the backup waits, and no other one can start',
};

interface Call {
  /** By the machine's monotonic clock, in ms: no other clock applies to a disk. */
  readonly startedAt: number;
}

/** One instance per disk of the server; it checks while operations are in progress. */
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

  /** Called when an operation begins; call the returned function when it ends. */
  began(): () => void {
    const call = { startedAt: systemClock.monotonic() };
    this.underWay.add(call);
    this.lookLater();
    return () => {
      this.underWay.delete(call);
      if (this.isSilent) this.look();
    };
  }

  /** The same disk, with every call watched. */
  over(disk: Disk): Disk {
    // A disk may be a class instance, whose methods a spread would lose.
    return new Proxy(disk, {
      get: (own, name: keyof Disk) => {
        // The methods differ in their arguments, which are passed on unchanged.
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
