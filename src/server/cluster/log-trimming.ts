/**
 * Determines which places of the shared log no node needs any more (ADR 73): those that every
 * follower has and that are also covered by two snapshots of the owner, or older than the
 * retention.
 */

/** The interval between noted places. */
const apartMs = 60_000;

/** Where the shared log and the journal ended at one time. */
export interface NotedEnd {
  /** The end of the shared log. */
  readonly place: number;
  /** The end of the journal. */
  readonly offset: number;
}

/** The limits besides time. */
export interface TrimLimits {
  /** The first place that some counting node does not have; null if no node counts. */
  readonly slowest: number | null;
  /** The owner's own folder has everything before this place. */
  readonly kept: number;
  /** Two snapshots of the owner cover everything below this offset of the journal. */
  readonly snapshotted: number;
}

/** Kept in the memory of an owner: a new owner releases nothing until it knows enough itself. */
export class LogTrimming {
  /** Oldest first. */
  private noted: (NotedEnd & { readonly at: number })[] = [];
  private trimmed = 0;
  /** Since when this node has had the log. */
  private since: number | null = null;

  /** `retentionMs`: how long a silent node counts. */
  constructor(private readonly retentionMs: number) {}

  /**
   * Notes both ends at the time `at`; returns the place before which everything may be removed, or
   * null. Call it from the moment on when this node gets the log.
   */
  take(end: NotedEnd, at: number, { slowest, kept, snapshotted }: TrimLimits): number | null {
    this.since ??= at;
    const last = this.noted.at(-1);
    if (last === undefined || at - last.at >= apartMs) this.noted.push({ ...end, at });
    const isOutdated = (one: (typeof this.noted)[number]) => at - one.at >= this.retentionMs;
    const outdated = this.noted.findLast(isOutdated)?.place ?? 0;
    // By then, every follower that counts has reported, if there is any: no other node may need
    // more.
    const knowsAll = slowest !== null && at - this.since >= this.retentionMs;
    const proven = knowsAll
      ? this.noted.findLast(({ offset }) => offset <= snapshotted)
      : undefined;
    const free = Math.max(outdated, proven?.place ?? 0);
    const before = Math.min(free, kept, slowest ?? free);
    this.noted = this.noted.filter(
      ({ place }, index) => index + 1 >= this.noted.length || place >= before,
    );
    if (before <= this.trimmed) return null;
    this.trimmed = before;
    return before;
  }
}
