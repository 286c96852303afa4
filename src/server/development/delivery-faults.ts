/**
 * Disturbs deliveries on purpose, as networks do by accident: an endpoint that copes with this in
 * development will cope later (`stepwell dev --fault`).
 */
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { parseDuration } from '../../grammar/duration.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import type { AttemptOutcome, OutgoingAttempt } from '../../messaging/outbound/attempt-outcome.js';
import type { Endpoints } from '../../messaging/outbound/endpoints.js';

/** `drop` and `lose` are fractions from 0 to 1. */
export interface FaultPlan {
  /** Attempts that never reach their endpoint. */
  readonly drop: number;
  /** Attempts that reach it but whose answer is lost: they are repeated. */
  readonly lose: number;
  /** How much later every attempt is sent, in ms. */
  readonly delayMs: number;
}

const delayMaxMs = 600_000;
const grammar = 'drop=5%, lose=5% and delay=1s, with commas between them';

/** Parses `drop=5%,delay=1s` as given on the command line. */
export function parseFaults(text: string): Result<FaultPlan> {
  const plan = { drop: 0, lose: 0, delayMs: 0 };
  for (const part of text.split(',')) {
    const [, name, value = ''] = /^\s*(drop|lose|delay)=(\S+)\s*$/.exec(part) ?? [];
    if (name === 'delay') {
      const delay = parseDuration(value);
      if (!delay.ok || delay.value > delayMaxMs) return refused('delay is a duration up to 10m');
      plan.delayMs = delay.value;
    } else if (name === 'drop' || name === 'lose') {
      const percent = /^\d{1,3}(\.\d+)?%$/.test(value) ? Number(value.slice(0, -1)) : Number.NaN;
      if (!(percent <= 100)) return refused(`${name} is a percentage, as 5%`);
      plan[name] = percent / 100;
    } else return refused(`a fault is ${grammar}`);
  }
  return ok(plan);
}

/** Calls endpoints through a network with these faults. */
export class DisturbedEndpoints implements Endpoints {
  /** Callbacks that end the delays of the attempts that share a signal. */
  private readonly ends = new WeakMap<AbortSignal, Set<() => void>>();

  constructor(
    private readonly endpoints: Endpoints,
    private readonly plan: FaultPlan,
    private readonly clock: Clock,
    private readonly identifiers: Identifiers,
  ) {}

  async call(attempt: OutgoingAttempt, signal?: AbortSignal): Promise<AttemptOutcome> {
    const { drop, lose, delayMs } = this.plan;
    const startedAt = this.clock.now();
    const begun = this.clock.monotonic();
    if (delayMs > 0 && signal?.aborted !== true) await this.wait(delayMs, signal);
    // A server that stops makes no more attempts; the real endpoints say so by themselves.
    if (signal?.aborted !== true && this.happens(drop)) {
      const durationMs = this.clock.monotonic() - begun;
      return lost('dropped on purpose (--fault drop)', startedAt, durationMs);
    }
    const outcome = await this.endpoints.call(attempt, signal);
    if (outcome.cut || outcome.status === 0 || !this.happens(lose)) return outcome;
    outcome.release?.();
    return lost(
      `answered ${outcome.status}, lost on purpose (--fault lose)`,
      outcome.startedAt,
      outcome.durationMs,
    );
  }

  close(): Promise<void> {
    return this.endpoints.close();
  }

  private wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    const ends = signal === undefined ? new Set<() => void>() : this.endsOf(signal);
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        ends.delete(end);
        resolve();
      };
      const cancel = this.clock.after(delayMs, end);
      ends.add(end);
    });
  }

  /** Adds one listener for each signal, because all attempts of a server share one signal. */
  private endsOf(signal: AbortSignal): Set<() => void> {
    const known = this.ends.get(signal);
    if (known !== undefined) return known;
    const ends = new Set<() => void>();
    this.ends.set(signal, ends);
    const endAll = () => {
      for (const end of [...ends]) end();
    };
    signal.addEventListener('abort', endAll, { once: true });
    return ends;
  }

  private happens(share: number): boolean {
    return share > 0 && this.identifiers.randomBytes(4).readUInt32BE() < share * 2 ** 32;
  }
}

function lost(error: string, startedAt: number, durationMs: number): AttemptOutcome {
  const none = { status: 0, headers: [], body: Buffer.alloc(0), bodyTruncated: false };
  return { ...none, error, startedAt, durationMs, cut: false };
}
