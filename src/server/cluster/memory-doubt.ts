/**
 * Whether this node's memory matches what owners have recorded of theirs. If it does not, the node
 * leaves the shared log to others, and takes it only if none of them does (ADR 82).
 */
import type { Logger } from 'pino';

/**
 * A node whose memory matches claims after about 4 s of silence, so by this time it has had several
 * tries.
 */
const leftMs = 15_000;

const inVain =
  'no other node has taken the shared log: this node claims it although its memory differs from ' +
  'the digest that the owner recorded';

/**
 * One instance per node, in memory only: a restart replays everything, and starts without a doubt.
 */
export class MemoryDoubt {
  private isDoubted = false;
  private isSaid = false;

  constructor(private readonly logger: Logger) {}

  /** Reports the result of the last comparison. */
  compared(isSame: boolean): void {
    this.isDoubted = !isSame;
    this.isSaid = false;
  }

  /** Whether the node may claim a log whose owner has been silent for `silentMs`. */
  mayClaim(silentMs: number): boolean {
    if (!this.isDoubted) return true;
    if (silentMs < leftMs) return false;
    if (!this.isSaid) this.logger.error(inVain);
    this.isSaid = true;
    return true;
  }
}
