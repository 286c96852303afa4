/**
 * Destinations that live on the simulation's clock: they answer, refuse, dawdle and hang as the
 * seed says, and remember who called when.
 */

import type { Clock } from '../../src/engine/clock.js';
import type {
  AttemptOutcome,
  OutgoingAttempt,
} from '../../src/messaging/outbound/attempt-outcome.js';
import type { Endpoints } from '../../src/messaging/outbound/endpoints.js';
import type { SeededRandom } from './seeded-random.js';

/** One attempt as a destination saw it. */
export interface Call {
  readonly messageId: string;
  readonly retried: number;
  readonly url: string;
  readonly body: string;
  readonly startedAt: number;
  /** null: it was never answered, or the caller died before. */
  endedAt: number | null;
  status: number;
  /** Of which life of the server it was. */
  readonly life: number;
}

export type Answer = Pick<AttemptOutcome, 'status' | 'headers' | 'error'>;

export const answered = (status: number, ...headers: string[]): Answer => ({
  status,
  headers,
  error: null,
});

/** What may happen to an attempt while destinations are in a bad mood. */
const badMoods: readonly Answer[] = [
  answered(200),
  answered(201),
  answered(200),
  answered(500),
  answered(404),
  answered(429, 'Retry-After', '7'),
  answered(503, 'X-RateLimit-Reset', '3'),
  answered(302, 'Location', 'https://elsewhere.example'),
  answered(489),
  answered(489, 'Svc-NonRetryable-Error', 'true'),
  { status: 0, headers: [], error: 'connection refused' },
];

/** All destinations of one simulation, over all lives of its server. */
export class SimulatedWorld {
  readonly calls: Call[] = [];
  /** While it is true everything fails and hangs now and then; else all is well at once. */
  isMoody = true;
  life = 0;
  /** The power is out: what the dying life still sends reaches no endpoint. */
  isDark: () => boolean = () => false;

  constructor(readonly random: SeededRandom) {}

  /** The destinations as one life of the server reaches them. */
  endpoints(clock: Clock): Endpoints {
    this.life += 1;
    return new ReachedEndpoints(this, clock, this.life);
  }

  /** What a destination makes of an attempt, `latency` after it began. */
  answer(_attempt: OutgoingAttempt): Answer | Promise<Answer> {
    return this.isMoody ? this.random.pick(badMoods) : answered(200);
  }

  /** Milliseconds until the answer; now and then longer than any timeout. */
  latency(): number {
    if (!this.isMoody) return 1;
    return this.random.chance(0.05) ? Number.POSITIVE_INFINITY : this.random.below(5000);
  }
}

class ReachedEndpoints implements Endpoints {
  private readonly open = new Set<() => void>();
  private readonly watched = new WeakSet<AbortSignal>();

  constructor(
    private readonly world: SimulatedWorld,
    private readonly clock: Clock,
    private readonly life: number,
  ) {}

  call(attempt: OutgoingAttempt, signal?: AbortSignal): Promise<AttemptOutcome> {
    const { world, clock, life } = this;
    if (world.isDark()) return new Promise(() => undefined);
    const startedAt = clock.now();
    const call: Call = {
      messageId: headerOf(attempt, 'message-id'),
      retried: Number(headerOf(attempt, 'retried')),
      url: attempt.url,
      body: attempt.body?.toString() ?? '',
      startedAt,
      endedAt: null,
      status: -1,
      life,
    };
    world.calls.push(call);
    return new Promise((resolve) => {
      const end = (answer: Answer, cut = false) => {
        if (world.life !== life || call.endedAt !== null) return; // the caller is gone
        disarm();
        call.endedAt = clock.now();
        call.status = answer.status;
        const durationMs = call.endedAt - startedAt;
        const body = Buffer.from(`answer ${answer.status}`);
        resolve({ ...answer, body, bodyTruncated: false, startedAt, durationMs, cut });
      };
      const timedOut: Answer = { status: 0, headers: [], error: 'timed out' };
      const disarm = clock.after(attempt.timeoutMs, () => end(timedOut));
      const latency = world.latency();
      // The endpoint answers even a caller that does not wait any more.
      const answer = async () => end(await world.answer(attempt));
      if (latency < Number.POSITIVE_INFINITY) clock.after(latency, () => void answer());
      this.open.add(() => end(timedOut, true));
      if (signal !== undefined) this.watch(signal);
    });
  }

  async close(): Promise<void> {}

  private watch(signal: AbortSignal): void {
    if (this.watched.has(signal)) return;
    this.watched.add(signal);
    signal.addEventListener('abort', () => {
      for (const cut of this.open) cut();
    });
  }
}

/** A header of the attempt, in either dialect; none is empty. */
export function headerOf({ headers }: OutgoingAttempt, name: string): string {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const own = headers[index]?.toLowerCase();
    if (own === `svc-${name}` || own === `upstash-${name}`) return headers[index + 1] ?? '';
  }
  return '';
}
