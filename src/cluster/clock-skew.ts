/**
 * How far this node's clock is from that of the shared log: measured by what the log's clock has
 * said a short while ago.
 */
import type { Clock } from '../engine/clock.js';

/**
 * What an entry has shown counts for so long. One that waited for a replica is read long after its
 * time, as if the clock of its reader were ahead: where it is the last one of an owner, no later
 * one corrects that, and no node would ever claim the log. A node whose memory is in doubt leaves
 * the log to others for as long (ADR 82).
 */
const keptMs = 15_000;

/** One for each node. */
export class ClockSkew {
  private latest: { readonly aheadMs: number; readonly until: number } | null = null;

  constructor(private readonly clock: Pick<Clock, 'now' | 'monotonic'>) {}

  /** By how much this node is ahead, milliseconds; null while that is not known. */
  get aheadMs(): number | null {
    const { latest, clock } = this;
    if (latest === null || clock.monotonic() >= latest.until) return null;
    return latest.aheadMs;
  }

  /** It was `at` by the log's clock, not before `since` by this node's monotonic one. */
  asked(at: number, since: number): void {
    this.note(at, since, Number.POSITIVE_INFINITY);
  }

  /** An entry was read with that `at`. It came after `since`, unless it could not be read then. */
  read(at: number, since: number): void {
    this.note(at, since, this.clock.monotonic() + keptMs);
  }

  private note(at: number, since: number, until: number): void {
    const most = this.clock.now() - at;
    const least = most - (this.clock.monotonic() - since);
    // An answer that took long says little: what was known before stays where it may still be so.
    const aheadMs = Math.min(most, Math.max(least, this.aheadMs ?? 0));
    this.latest = { aheadMs, until };
  }
}
