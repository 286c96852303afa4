/**
 * The memory of long answers while they arrive. Destinations decide how long their answers are and
 * how slowly they send them, and a thousand attempts may be in flight: all that is kept of their
 * answers has one limit, of which one origin gets a quarter (ADR 24).
 */
import { ByteBudget } from '../../http/bytes/byte-budget.js';

/** The parts that each origin gets of the whole. */
const shares = 4;
const answersBytesMax = 128 * 1024 * 1024;

/** The longest beginning of an answer that is not counted: the number of attempts bounds these. */
export const uncountedBytesMax = 64 * 1024;

/** The budget of all answers, in which each origin has room for one of `bytesMax`. */
export function answerBudget(bytesMax: number): ByteBudget {
  return new ByteBudget(Math.max(answersBytesMax, bytesMax * shares), shares);
}

/** The room of the answer to one attempt. */
export class AnswerRoom {
  private held = 0;
  private owner = '';
  private cancel: (() => void) | null = null;

  constructor(
    private readonly budget: ByteBudget,
    /** Of the attempt; absolute. */
    private readonly url: string,
  ) {}

  /**
   * Takes room for `bytes` in all; returns false if there is none now, and then calls `granted`
   * once there is. Called once.
   */
  take(bytes: number, granted: () => void): boolean {
    const { budget } = this;
    this.owner = new URL(this.url).origin;
    if (budget.take(this.owner, bytes)) {
      this.held = bytes;
      return true;
    }
    this.cancel = budget.claim(this.owner, bytes, () => {
      this.cancel = null;
      this.held = bytes;
      granted();
    });
    return false;
  }

  /** Gives the room back, or no longer waits for it. */
  release(): void {
    this.cancel?.();
    this.cancel = null;
    if (this.held > 0) this.budget.give(this.owner, this.held);
    this.held = 0;
  }
}
