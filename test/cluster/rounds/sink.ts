/** The destination of the rounds: it notes each attempt by its own clock. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Arrival } from './observed.js';

type Noted = { -readonly [Name in keyof Arrival]: Arrival[Name] };

export class Sink {
  /** In the order in which they came. */
  readonly arrivals: Noted[] = [];
  private readonly numbers = new Set<number>();
  private readonly delays = monitorEventLoopDelay({ resolution: 20 });

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** Requests name lane and number in their path; `answerMs` tells how long an answer takes. */
  static async open(answerMs: (lane: string) => number): Promise<Sink> {
    const server = createServer((request, response) => {
      const [, lane = '', number = ''] = (request.url ?? '').split('/');
      const arrival = { lane, number: Number(number), from: Date.now(), until: Infinity };
      sink.arrivals.push(arrival);
      sink.numbers.add(arrival.number);
      response.once('close', () => {
        arrival.until = Date.now();
      });
      setTimeout(() => response.end(), answerMs(lane));
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    const sink = new Sink(server, (server.address() as AddressInfo).port);
    sink.delays.enable();
    return sink;
  }

  /** For how long it noted nothing, at worst, milliseconds: an arrival may be noted so late. */
  get stoodStillMs(): number {
    return Math.round(this.delays.max / 1e6);
  }

  has(number: number): boolean {
    return this.numbers.has(number);
  }

  close(): void {
    this.delays.disable();
    this.server.closeAllConnections();
    this.server.close();
  }
}
