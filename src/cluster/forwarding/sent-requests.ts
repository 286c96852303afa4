/**
 * Tracks the requests that were sent to an owner until they are answered completely. An owner that
 * has lost the log may hang for minutes. So a request ends as soon as another owner is known; a
 * repeatable request also ends once its owner is neither heard nor answers.
 */
import type { Clock } from '../../engine/clock.js';

/** How often the owner is checked while any request is tracked. */
const lookMs = 100;

/** What this node knows of the owner. */
export interface KnownOwner {
  /** The owner's address (`http://host:port`); null if no owner is known, or if it is this node. */
  readonly owner: () => string | null;
  /** Whether this node is the owner and serves. */
  readonly isHere?: () => boolean;
  /**
   * How long the owner's next entry in the shared log has been overdue; 0 or less while the owner
   * is heard. If absent, the owner counts as always heard.
   */
  readonly overdueMs?: () => number;
}

/** One request that was sent. */
export interface SentRequest {
  /** Aborts if the client is gone, another node has become the owner, or `isGivenUp` is true. */
  readonly signal: AbortSignal;
  /** Whether the request's owner was silent for too long and no other owner is known. */
  readonly isGivenUp: () => boolean;
  /** Call it when the head of the answer has arrived; the body may take any time. */
  readonly answered: () => void;
  /** Call it when the request was answered completely, or failed. */
  readonly end: () => void;
}

interface Sent {
  readonly origin: string;
  readonly at: number;
  readonly abort: AbortController;
  /** Whether the request may be given up. */
  mayEnd: boolean;
  isGivenUp: boolean;
}

/** The sent requests of one forwarder. A timer runs only while a request is tracked. */
export class SentRequests {
  private readonly all = new Set<Sent>();
  private cancelLook: (() => void) | null = null;
  /** When an owner last answered a request, which shows that it does not hang. */
  private answeredAt = Number.NEGATIVE_INFINITY;

  /** `heldMs`: how long a request waits while its owner is not heard. */
  constructor(
    private readonly clock: Clock,
    private readonly known: KnownOwner,
    private readonly heldMs: number,
  ) {}

  /** Starts to track a request sent to `origin`; `gone` aborts when its client disconnects. */
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

  /** Aborts all tracked requests. */
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
      // While no owner is known, the previous one may still answer.
      const isLeft = isHere || (owner !== null && sent.origin !== owner);
      const heldFrom = Math.max(sent.at, silentSince);
      sent.isGivenUp = !isLeft && sent.mayEnd && this.clock.monotonic() - heldFrom >= this.heldMs;
      if (isLeft || sent.isGivenUp) sent.abort.abort();
    }
    this.cancelLook = this.clock.after(lookMs, this.look);
  };

  /** Since when the owner has been silent: it was neither heard when due, nor has it answered. */
  private silentSince(): number {
    const overdueMs = Math.max(0, this.known.overdueMs?.() ?? 0);
    return Math.max(this.clock.monotonic() - overdueMs, this.answeredAt);
  }
}
