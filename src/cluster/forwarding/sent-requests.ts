/**
 * Requests that wait for the owner they were sent to, or take its answer. One that has lost the log
 * may stand still for minutes: what was sent to it ends as soon as another owner is known, and what
 * may be repeated once it is neither heard nor answers.
 */
import type { Clock } from '../../engine/clock.js';

/** The owner is looked at as often while anything was sent. */
const lookMs = 100;

/** What is known of the owner. */
export interface KnownOwner {
  /** The address of the owner (`http://host:port`); null while none is known, or it is this one. */
  readonly owner: () => string | null;
  /** Whether this node is the owner and serves. */
  readonly isHere?: () => boolean;
  /**
   * For how long the owner should have been heard in the shared log, and was not; 0 or less while
   * it is heard. Without it, it always is.
   */
  readonly overdueMs?: () => number;
}

/** One request that was sent. */
export interface SentRequest {
  /** Says that its client is gone, that another node has become the owner, or `isGivenUp`. */
  readonly signal: AbortSignal;
  /** Its owner was not heard for too long: no other one is known that it could be sent to. */
  readonly isGivenUp: () => boolean;
  /** The head of its answer has come; the rest may take its time. */
  readonly answered: () => void;
  /** It was answered whole, or failed. */
  readonly end: () => void;
}

interface Sent {
  readonly origin: string;
  readonly at: number;
  readonly abort: AbortController;
  /** Whether it may be given up. */
  mayEnd: boolean;
  isGivenUp: boolean;
}

/** One for each forwarder. A timer runs only while something waits. */
export class SentRequests {
  private readonly all = new Set<Sent>();
  private cancelLook: (() => void) | null = null;
  /** An owner has answered something then: it does not stand still. */
  private answeredAt = Number.NEGATIVE_INFINITY;

  /** `heldMs`: how long a request waits while its owner is not heard. */
  constructor(
    private readonly clock: Clock,
    private readonly known: KnownOwner,
    private readonly heldMs: number,
  ) {}

  /** A request is sent to `origin`; `gone` says that its client is. */
  begin(origin: string, isRepeatable: boolean, gone: AbortSignal): SentRequest {
    const sent: Sent = {
      origin,
      at: this.clock.monotonic(),
      abort: new AbortController(),
      mayEnd: isRepeatable,
      isGivenUp: false,
    };
    const abort = () => sent.abort.abort();
    const end = () => {
      this.all.delete(sent);
      gone.removeEventListener('abort', abort);
    };
    const answered = () => {
      sent.mayEnd = false;
      this.answeredAt = this.clock.monotonic();
    };
    gone.addEventListener('abort', abort, { once: true });
    this.all.add(sent);
    this.cancelLook ??= this.clock.after(lookMs, this.look);
    return { signal: sent.abort.signal, isGivenUp: () => sent.isGivenUp, answered, end };
  }

  /** Ends all of them. */
  end(): void {
    this.cancelLook?.();
    for (const { abort } of this.all) abort.abort();
    this.all.clear();
  }

  private readonly look = () => {
    this.cancelLook = null;
    if (this.all.size === 0) return;
    const owner = this.known.owner();
    const isHere = this.known.isHere?.() === true;
    const silentSince = this.silentSince();
    for (const sent of this.all) {
      // Where none is known, the one before may still answer.
      const isLeft = isHere || (owner !== null && sent.origin !== owner);
      const heldFrom = Math.max(sent.at, silentSince);
      sent.isGivenUp = !isLeft && sent.mayEnd && this.clock.monotonic() - heldFrom >= this.heldMs;
      if (isLeft || sent.isGivenUp) sent.abort.abort();
    }
    this.cancelLook = this.clock.after(lookMs, this.look);
  };

  /** From then on the owner should have been heard, or have answered, and has not. */
  private silentSince(): number {
    const overdueMs = Math.max(0, this.known.overdueMs?.() ?? 0);
    return Math.max(this.clock.monotonic() - overdueMs, this.answeredAt);
  }
}
