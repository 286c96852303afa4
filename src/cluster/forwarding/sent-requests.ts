/**
 * Requests that wait for the owner they were sent to, or take its answer. One that has lost the log
 * may stand still for minutes: what was sent to it ends as soon as another owner is known.
 */
import type { Clock } from '../../engine/clock.js';

/** The owner is looked at as often while anything was sent. */
const lookMs = 100;

/** One request that was sent. */
export interface SentRequest {
  /** Says that its client is gone, or that another node has become the owner. */
  readonly signal: AbortSignal;
  /** It was answered whole, or failed. */
  readonly end: () => void;
}

interface Sent {
  readonly origin: string;
  readonly abort: AbortController;
}

/** One for each forwarder. A timer runs only while something waits. */
export class SentRequests {
  private readonly all = new Set<Sent>();
  private cancelLook: (() => void) | null = null;

  /** `owner` as the forwarder has it. */
  constructor(
    private readonly clock: Clock,
    private readonly owner: () => string | null,
    private readonly isHere: () => boolean,
  ) {}

  /** A request is sent to `origin`; `gone` says that its client is. */
  begin(origin: string, gone: AbortSignal): SentRequest {
    const sent = { origin, abort: new AbortController() };
    const abort = () => sent.abort.abort();
    const end = () => {
      this.all.delete(sent);
      gone.removeEventListener('abort', abort);
    };
    gone.addEventListener('abort', abort, { once: true });
    this.all.add(sent);
    this.cancelLook ??= this.clock.after(lookMs, this.look);
    return { signal: sent.abort.signal, end };
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
    const owner = this.owner();
    const isHere = this.isHere();
    // Where none is known, the one before may still answer.
    if (isHere || owner !== null) {
      for (const { origin, abort } of this.all) {
        if (isHere || origin !== owner) abort.abort();
      }
    }
    this.cancelLook = this.clock.after(lookMs, this.look);
  };
}
