/**
 * Which places of the shared log no node needs any more (ADR 73): what every follower has, and two
 * snapshots of the owner have; or what is older than its retention, and every follower has.
 */

/** Places are noted this far apart. */
const apartMs = 60_000;

/** Where the shared log and the journal ended at one time. */
export interface NotedEnd {
  /** Of the shared log. */
  readonly place: number;
  /** Of the journal. */
  readonly offset: number;
}

/** What decides beside time. */
export interface TrimLimits {
  /** The first place that a node which counts does not have; null = none counts. */
  readonly slowest: number | null;
  /** The owner's own folder has all before this place. */
  readonly kept: number;
  /** Two snapshots of the owner have what lies below this offset of the journal. */
  readonly snapshotted: number;
}

/** Of an owner, in memory: a new owner lets go of nothing until it knows enough by itself. */
export class LogTrimming {
  /** Oldest first. */
  private noted: (NotedEnd & { readonly at: number })[] = [];
  private trimmed = 0;
  /** The log is this node's since then. */
  private since: number | null = null;

  /** `retentionMs`: how long a node that is silent counts. */
  constructor(private readonly retentionMs: number) {}

  /**
   * Notes where both end at `at`; returns the place before which all may go, or null. Call it from
   * the moment on that the log is this node's.
   */
  take(end: NotedEnd, at: number, { slowest, kept, snapshotted }: TrimLimits): number | null {
    this.since ??= at;
    const last = this.noted.at(-1);
    if (last === undefined || at - last.at >= apartMs) this.noted.push({ ...end, at });
    const isOutdated = (one: (typeof this.noted)[number]) => at - one.at >= this.retentionMs;
    const outdated = this.noted.findLast(isOutdated)?.place ?? 0;
    // Every follower that counts was heard by then, if there is any: no other one may need more.
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
