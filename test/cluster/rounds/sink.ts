/** The destination of the rounds: notes each attempt by its own clock. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Arrival } from './observed.js';

type Noted = { -readonly [Name in keyof Arrival]: Arrival[Name] };

const beatMs = 20;
/** Within this time, in milliseconds, arrivals that came while the process hung are noted. */
const caughtUpMs = 200;

/** Detects when this process did not run for a while. */
class Stillness {
  worstMs = 0;
  private latestMs = 0;
  private endedAt = Number.NEGATIVE_INFINITY;
  private beatAt = performance.now();
  private readonly timer = setInterval(() => this.beat(), beatMs);

  /** How long an arrival that is noted now may have waited. */
  get nowMs(): number {
    this.beat();
    const sinceMs = performance.now() - this.endedAt;
    return sinceMs < caughtUpMs ? this.latestMs + sinceMs : 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private beat(): void {
    const now = performance.now();
    const stillMs = now - this.beatAt - beatMs;
    this.beatAt = now;
    if (stillMs < beatMs) return;
    const isSame = now - stillMs - this.endedAt < caughtUpMs;
    this.latestMs = isSame ? this.latestMs + stillMs : stillMs;
    this.endedAt = now;
    this.worstMs = Math.max(this.worstMs, stillMs);
  }
}

export class Sink {
  /** In the order of arrival. */
  readonly arrivals: Noted[] = [];
  private readonly numbers = new Set<number>();
  private readonly stillness = new Stillness();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /**
   * Opens the sink. Requests name lane and number in their path; `answerMs` returns how long an
   * answer takes.
   */
  static async open(answerMs: (lane: string) => number): Promise<Sink> {
    const server = createServer((request, response) => {
      const [, lane = '', number = ''] = (request.url ?? '').split('/');
      const lateMs = sink.stillness.nowMs;
      const arrival = { lane, number: Number(number), from: Date.now(), until: Infinity, lateMs };
      sink.arrivals.push(arrival);
      sink.numbers.add(arrival.number);
      response.once('close', () => {
        arrival.until = Date.now();
      });
      setTimeout(() => response.end(), answerMs(lane));
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    const sink = new Sink(server, (server.address() as AddressInfo).port);
    return sink;
  }

  /** The longest time without notes, in milliseconds: an arrival may be noted this late. */
  get stoodStillMs(): number {
    return Math.round(this.stillness.worstMs);
  }

  has(number: number): boolean {
    return this.numbers.has(number);
  }

  close(): void {
    this.stillness.stop();
    this.server.closeAllConnections();
    this.server.close();
  }
}
