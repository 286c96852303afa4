/** How fast the next segment of a log is filled with zeros while the current one grows. */

/**
 * The next segment is filled this many times as fast as the current one grows. It begins when the
 * current one is half full, so it is finished when the current one has a sixth left.
 */
const fillsPerGrowth = 3;

/**
 * A log that grows faster writes less in advance: a disk has a limit, and each byte that is filled
 * is written twice.
 */
const bytesPerMsMax = 64 * 1024;

/** This much is filled at once: a small segment needs no pace. */
const firstBytes = 1024 * 1024;

/**
 * One per fill. At full speed the disk would be busy with the zeros for 0.1 s, and all appends of
 * that time would wait for it.
 */
export class FillPace {
  private readonly startedAt: number;
  /** How many bytes may be filled so far. */
  private allowed = firstBytes;
  private isStopped = false;
  private wake: (() => void) | null = null;

  constructor(
    private readonly segmentBytes: number,
    private readonly now: () => number,
  ) {
    this.startedAt = now();
  }

  /**
   * Settles with true when the first `bytes` of the segment may be filled, and with false if no
   * more of it will be. One call at a time.
   */
  mayFill(bytes: number): Promise<boolean> {
    if (this.isStopped || bytes <= this.allowed) return Promise.resolve(!this.isStopped);
    return new Promise((resolve) => {
      this.wake = () => {
        if (!this.isStopped && bytes > this.allowed) return;
        this.wake = null;
        resolve(!this.isStopped);
      };
    });
  }

  /** The current segment has `end` bytes. */
  grown(end: number): void {
    const growth = end - this.segmentBytes / 2;
    const ms = this.now() - this.startedAt;
    this.allow(Math.min(growth * fillsPerGrowth, ms * bytesPerMsMax));
  }

  /** The rest is filled without a pause. */
  hurry(): void {
    this.allow(Number.POSITIVE_INFINITY);
  }

  /** The segment is needed now, as far as it is filled. */
  stop(): void {
    this.isStopped = true;
    this.wake?.();
  }

  private allow(bytes: number): void {
    this.allowed = Math.max(this.allowed, bytes);
    this.wake?.();
  }
}
