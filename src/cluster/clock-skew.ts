/**
 * Estimates how far this node's clock is ahead of the clock of the shared log, from timestamps that
 * the log gave a short while ago.
 */
import type { Clock } from '../engine/clock.js';

/**
 * How long a skew measured from a read entry is valid. An entry that waited for a replica is read
 * long after its timestamp, as if the reader's clock were ahead. If it is the last entry of an
 * owner, no later entry corrects the error, and without this bound no node would ever claim the
 * log. A node whose memory is in doubt also leaves the log to others for this long (ADR 82).
 */
const keptMs = 15_000;

/** The estimate of one node; each node has one. */
export class ClockSkew {
  private latest: { readonly aheadMs: number; readonly until: number } | null = null;

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {}

  /** How far this node's clock is ahead, in milliseconds; null while unknown. */
  get aheadMs(): number | null {
    const { latest, clock } = this;
    if (latest === null || clock.monotonic() >= latest.until) return null;
    return latest.aheadMs;
  }

  /**
   * Notes that the log's clock showed `at`, no earlier than `since` on this node's monotonic clock.
   */
  asked(at: number, since: number): void {
    this.note(at, since, Number.POSITIVE_INFINITY);
  }

  /**
   * Notes an entry with the timestamp `at`. It was appended after `since`, unless it was in the log
   * but not yet readable then.
   */
  read(at: number, since: number): void {
    this.note(at, since, this.clock.monotonic() + keptMs);
  }

  private note(at: number, since: number, until: number): void {
    const most = this.clock.now() - at;
    const least = most - (this.clock.monotonic() - since);
    // A slow answer says little, so the earlier estimate stays if it is still possible.
    const aheadMs = Math.min(most, Math.max(least, this.aheadMs ?? 0));
    this.latest = { aheadMs, until };
  }
}
