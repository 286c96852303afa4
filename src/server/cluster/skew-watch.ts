/**
 * Watches how far this node's clock is from that of the shared log. Schedules and delays are due by
 * the owner's clock, so a node whose clock is far off must not become the owner.
 */
import type { Logger } from 'pino';
import { skewMsMax } from '../../cluster/forwarding/hop.js';
import type { Clock } from '../../engine/clock.js';

/** Beyond this, a warning is logged. */
const warnedMs = 1000;
/** Beyond this the node does not claim the shared log. */
const refusedMs = 10_000;
const sayAgainMs = 60_000;

/**
 * What is wrong with a clock that is `aheadMs` ahead of the shared log's, for health checks of a
 * follower; null if nothing is wrong, or the difference is unknown. `passesOn`: the owner accepts
 * requests that such a node forwards, if the owner's own clock is right.
 */
export function clockFault(
  aheadMs: number | null,
): { readonly text: string; readonly passesOn: boolean } | null {
  if (aheadMs === null || Math.abs(aheadMs) <= refusedMs) return null;
  const where = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  const passesOn = Math.abs(aheadMs) <= skewMsMax;
  const what = passesOn ? 'it does not claim the log' : 'it neither claims the log nor passes on';
  return { text: `the clock of this node is ${where} that of the shared log: ${what}`, passesOn };
}

/** One instance per node. It only warns and prevents claims; it never sets a clock. */
export class SkewWatch {
  private warnNextAt = Number.NEGATIVE_INFINITY;
  private refuseNextAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly logger: Logger,
  ) {}

  /** `aheadMs`: how far this node's clock is ahead, in ms; null = unknown. */
  look(aheadMs: number | null): void {
    const now = this.clock.monotonic();
    if (aheadMs === null || Math.abs(aheadMs) <= warnedMs || now < this.warnNextAt) return;
    this.warnNextAt = now + sayAgainMs;
    this.logger.warn(
      { aheadMs },
      'the clock of this node differs from that of the shared log: while this node owns the log, ' +
        'delays and schedules are early or late by this difference',
    );
  }

  /** Whether a node whose clock is `aheadMs` ahead may claim the log. */
  mayClaim(aheadMs: number | null): boolean {
    if (aheadMs === null || Math.abs(aheadMs) <= refusedMs) return true;
    const now = this.clock.monotonic();
    if (now >= this.refuseNextAt) {
      this.refuseNextAt = now + sayAgainMs;
      this.logger.error(
        { aheadMs },
        'this node does not claim the shared log: its clock differs too much from that of the log',
      );
    }
    return false;
  }
}
