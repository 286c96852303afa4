/** Estimates when the disk will be full if it continues to fill as in the last day. */
import type { Disk } from '../../../storage/disk/disk.js';
import type { Clock } from '../../engine/clock.js';

/** How often the free space is measured, and how many measurements are kept: a day's worth. */
const everyMs = 10 * 60_000;
const examinedMax = 144;

const dayMs = 86_400_000;

/** Free space at one moment. */
export interface SpaceLook {
  /** Monotonic, in ms: the wall clock may be changed. */
  readonly at: number;
  readonly availableBytes: number;
}

/**
 * In how many days the disk is full, at the pace between the first and the last measurement; null
 * if free space is not decreasing, or the measurements are too close together.
 */
export function daysLeft(first: SpaceLook | undefined, last: SpaceLook): number | null {
  if (first === undefined || last.at - first.at < everyMs) return null;
  const taken = first.availableBytes - last.availableBytes;
  if (taken <= 0) return null;
  const days = (last.availableBytes / taken) * ((last.at - first.at) / dayMs);
  return Math.round(days * 10) / 10;
}

/**
 * Kept in memory, so it says nothing for some time after a start. If free space grew, there is no
 * trend.
 */
export class DiskTrend {
  private readonly looks: SpaceLook[] = [];
  private cancel: () => void = () => undefined;

  constructor(
    private readonly disk: Pick<Disk, 'space'>,
    private readonly folder: string,
    private readonly clock: Clock,
  ) {}

  /** Measures at intervals from now on. */
  async start(): Promise<void> {
    this.cancel = this.clock.after(everyMs, () => void this.start());
    // A disk that does not answer now is asked again.
    const look = await this.look().catch(() => null);
    if (look === null) return;
    this.looks.push(look);
    if (this.looks.length > examinedMax) this.looks.shift();
  }

  /** Stops measuring; the measurements are kept. */
  stop(): void {
    this.cancel();
  }

  /** In how many days the disk will be full; null if nothing indicates that. */
  daysLeft(availableBytes: number): number | null {
    return daysLeft(this.looks[0], { at: this.clock.monotonic(), availableBytes });
  }

  private async look(): Promise<SpaceLook> {
    const { available } = await this.disk.space(this.folder);
    return { at: this.clock.monotonic(), availableBytes: available };
  }
}
