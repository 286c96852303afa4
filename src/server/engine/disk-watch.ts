/**
 * Says that the disk does not answer: until it does nothing is acknowledged, and no metric moves,
 * as they count what has ended.
 */
import type { Logger } from 'pino';
import { systemClock } from '../../engine/clock.js';
import type { ProcessLife } from '../../engine/lifecycle/process-life.js';

/** What takes longer is something that an operator should know of. */
const silentMs = 10_000;
const lookEveryMs = 1000;

/** The name of the warning. */
const warning = 'disk';

interface Sync {
  /** Monotonic milliseconds of the machine: a disk goes by no other clock. */
  readonly startedAt: number;
}

/** One for the store of the server; it looks while the disk is asked something. */
export class DiskWatch {
  /** In the order in which they began. */
  private readonly underWay = new Set<Sync>();
  private isLooking = false;
  private isSilent = false;

  constructor(
    private readonly life: Pick<ProcessLife, 'warn'>,
    private readonly log: Logger,
  ) {}

  /** Bytes are being made durable from now on, until what this answers is called. */
  began(): () => void {
    const sync = { startedAt: systemClock.monotonic() };
    this.underWay.add(sync);
    this.lookLater();
    return () => {
      this.underWay.delete(sync);
      if (this.isSilent) this.look();
    };
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
