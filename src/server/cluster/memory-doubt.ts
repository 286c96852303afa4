/**
 * Whether this node's memory is what owners have recorded of theirs. A node whose memory is not
 * leaves the shared log to the others, and takes it only where none of them does (ADR 82).
 */
import type { Logger } from 'pino';

/** One that agrees claims after some 4 s of silence: by then it has had several tries. */
const leftMs = 15_000;

const inVain =
  'no other node has taken the shared log: this one claims it, though its memory is not what the ' +
  'owner has recorded';

/** One for each node, in memory: a restart folds everything anew, and begins without a doubt. */
export class MemoryDoubt {
  private isDoubted = false;
  private isSaid = false;

  constructor(private readonly logger: Logger) {}

  /** What the last comparison has come to. */
  compared(isSame: boolean): void {
    this.isDoubted = !isSame;
    this.isSaid = false;
  }

  /** Whether the log may be claimed, of which no owner was heard for so long, milliseconds. */
  mayClaim(silentMs: number): boolean {
    if (!this.isDoubted) return true;
    if (silentMs < leftMs) return false;
    if (!this.isSaid) this.logger.error(inVain);
    this.isSaid = true;
    return true;
  }
}
