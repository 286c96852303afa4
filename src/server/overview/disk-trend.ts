/** When the disk will be full, if it goes on filling as it did in the last day. */
import type { Disk } from '../../../storage/disk/disk.js';
import type { Clock } from '../../engine/clock.js';

/** So often the free space is looked at, and so many looks are kept: a day's. */
const everyMs = 10 * 60_000;
const looksMax = 144;

const dayMs = 86_400_000;

/** Free space at one moment. */
export interface SpaceLook {
  /** Monotonic milliseconds: the wall clock may be set. */
  readonly at: number;
  readonly availableBytes: number;
}

/**
 * In how many days nothing is left, at the pace between the first look and this one; null = it is
 * not getting less, or the looks are too near each other to say.
 */
export function daysLeft(first: SpaceLook | undefined, last: SpaceLook): number | null {
  if (first === undefined || last.at - first.at < everyMs) return null;
  const taken = first.availableBytes - last.availableBytes;
  if (taken <= 0) return null;
  const days = (last.availableBytes / taken) * ((last.at - first.at) / dayMs);
  return Math.round(days * 10) / 10;
}

/** In memory: for some time after a start nothing is said. A disk that is emptied has no trend. */
export class DiskTrend {
  private readonly looks: SpaceLook[] = [];
  private cancel: () => void = () => undefined;

  constructor(
    private readonly disk: Pick<Disk, 'space'>,
    private readonly folder: string,
    private readonly clock: Clock,
  ) {}

  /** Looks from now on, now and then. */
  async start(): Promise<void> {
    this.cancel = this.clock.after(everyMs, () => void this.start());
    // A disk that says nothing now is asked again.
    const look = await this.look().catch(() => null);
    if (look === null) return;
    this.looks.push(look);
    if (this.looks.length > looksMax) this.looks.shift();
  }

  /** It looks no more; what it knows stays. */
  stop(): void {
    this.cancel();
  }

  /** In how many days the disk is full; null = nothing says that it will be. */
  daysLeft(availableBytes: number): number | null {
    return daysLeft(this.looks[0], { at: this.clock.monotonic(), availableBytes });
  }

  private async look(): Promise<SpaceLook> {
    const { available } = await this.disk.space(this.folder);
    return { at: this.clock.monotonic(), availableBytes: available };
  }
}
