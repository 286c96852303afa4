/** What one exchange may hold of the byte budget, from its first byte to the last of its answer. */
import type { Clock } from '../../engine/clock.js';
import type { InboundMetrics } from '../inbound.metrics.js';
import { NoRoom } from '../no-room.js';
import type { AnswerState } from '../request-head.js';
import type { ByteBudget } from './byte-budget.js';

/** An answer is begun for a request that has waited this long for room, or refused. */
const waitMs = 10_000;
/** A client that takes nothing of its answer for this long is closed. */
const stallMs = 30_000;

/** What allowances are made of. */
export interface AllowanceTerms {
  readonly budget: ByteBudget;
  readonly clock: Clock;
  readonly metrics: InboundMetrics;
}

/**
 * One for each exchange, from `InFlight`; all of it is given back when the connection of the answer
 * closes, however that came.
 */
export class Allowance {
  private held = 0;
  private isOver = false;
  private cancelClaim: () => void = nothing;
  private cancelStall: () => void = nothing;

  /** Ends with `response`, whose owner is `owner`; what is held then is given back. */
  constructor(
    private readonly terms: AllowanceTerms,
    private readonly owner: string,
    private readonly response: AnswerState,
  ) {
    if (response.closed) this.isOver = true;
    else response.once('close', () => this.end());
  }

  /** Bytes. */
  get bytes(): number {
    return this.held;
  }

  /**
   * Takes `bytes` more. `done` is called once, at once where there is room: with false where there
   * was none in time, or the connection has closed.
   */
  ask(bytes: number, done: (isGranted: boolean) => void): void {
    const { budget, clock, metrics } = this.terms;
    if (this.isOver) {
      done(false);
      return;
    }
    if (this.takeNow(bytes)) {
      done(true);
      return;
    }
    const settle = (isGranted: boolean) => {
      this.cancelClaim = nothing;
      cancelTimer();
      done(isGranted);
    };
    const cancelClaim = budget.claim(this.owner, bytes, () => {
      this.held += bytes;
      settle(true);
    });
    const cancelTimer = clock.after(waitMs, () => {
      cancelClaim();
      metrics.roomRefused();
      settle(false);
    });
    this.cancelClaim = () => {
      cancelClaim();
      settle(false);
    };
  }

  /** Takes `bytes` more where there is room now. */
  takeNow(bytes: number): boolean {
    const isTaken = !this.isOver && this.terms.budget.take(this.owner, bytes);
    if (isTaken) this.held += bytes;
    return isTaken;
  }

  /** Takes `bytes` more, or rejects with `NoRoom`. */
  want(bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.ask(bytes, (isGranted) => (isGranted ? resolve() : reject(new NoRoom())));
    });
  }

  /** From now on it holds this many bytes: it has more or less in hand than it asked for. */
  settle(bytes: number): void {
    const { budget } = this.terms;
    if (this.isOver) return;
    const more = bytes - this.held;
    this.held = bytes;
    if (more > 0) budget.add(this.owner, more);
    else if (more < 0) budget.give(this.owner, -more);
  }

  /** Bytes are on their way: a client that takes none of them in time is closed. */
  awaitTaken(): void {
    const { clock, metrics } = this.terms;
    this.cancelStall();
    if (this.isOver) return;
    this.cancelStall = clock.after(stallMs, () => {
      metrics.stalledClientClosed();
      this.response.destroy();
    });
  }

  /** They were taken. */
  taken(): void {
    this.cancelStall();
    this.cancelStall = nothing;
  }

  private end(): void {
    this.settle(0);
    this.isOver = true;
    this.cancelStall();
    this.cancelClaim();
  }
}

function nothing(): void {}
