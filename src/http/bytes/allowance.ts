/** The part of the byte budget that one exchange holds, from its first byte to its last. */
import type { Clock } from '../../engine/clock.js';
import type { InboundMetrics } from '../inbound.metrics.js';
import { NoRoom } from '../no-room.js';
import type { AnswerState } from '../request-head.js';
import type { ByteBudget } from './byte-budget.js';

/** How long a request waits for room at most; then it is refused. */
const waitMs = 10_000;
/** A client that takes nothing of its answer for this long is disconnected. */
const stallMs = 30_000;

/** The dependencies of an allowance. */
export interface AllowanceTerms {
  readonly budget: ByteBudget;
  readonly clock: Clock;
  readonly metrics: InboundMetrics;
}

/**
 * One per exchange, created by `InFlight`. All of it is released when the connection of the answer
 * closes, for whatever reason.
 */
export class Allowance {
  private held = 0;
  private isOver = false;
  private cancelClaim: () => void = nothing;
  private cancelStall: () => void = nothing;

  /** Ends with `response`, which belongs to `owner`; bytes held then are released. */
  constructor(
    private readonly terms: AllowanceTerms,
    private readonly owner: string,
    private readonly response: AnswerState,
  ) {
    if (response.closed) this.isOver = true;
    else response.once('close', () => this.end());
  }

  /** The bytes that are held. */
  get bytes(): number {
    return this.held;
  }

  /**
   * Takes `bytes` more. `done` is called once, synchronously if there is room: with false if no
   * room came in time or the connection has closed.
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

  /** Takes `bytes` more if there is room now; returns whether it did. */
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

  /** Sets the bytes held to the actual number, which may differ from what was asked for. */
  settle(bytes: number): void {
    const { budget } = this.terms;
    if (this.isOver) return;
    const more = bytes - this.held;
    this.held = bytes;
    if (more > 0) this.add(more);
    else if (more < 0) budget.give(this.owner, -more);
  }

  /**
   * Counts bytes that nothing was asked for. An owner may hold as much of them as it may ask for:
   * beyond that, its clients take their answers too slowly.
   */
  private add(bytes: number): void {
    const { budget, metrics } = this.terms;
    budget.add(this.owner, bytes);
    if (budget.usedBy(this.owner) <= 2 * budget.ownerLimit) return;
    metrics.stalledClientClosed();
    this.response.destroy();
  }

  /** Bytes are being sent: a client that takes none of them in time is disconnected. */
  awaitTaken(): void {
    const { clock, metrics } = this.terms;
    this.cancelStall();
    if (this.isOver) return;
    this.cancelStall = clock.after(stallMs, () => {
      metrics.stalledClientClosed();
      this.response.destroy();
    });
  }

  /** The client has taken the bytes. */
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
