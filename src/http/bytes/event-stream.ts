/**
 * Server-sent events to one client (WHATWG HTML, "server-sent events"), at the pace at which it
 * takes them and within the byte budget.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../engine/clock.js';
import type { Allowance } from './allowance.js';
import { readingBytes } from './in-flight.js';

/** Between signs of life: proxies keep an idle stream open, and a lost client is found. */
export const heartbeatMs = 15_000;

/** Written at once: a client that takes less than this in 30 seconds counts as taking nothing. */
export const eventSliceBytes = 64 * 1024;

/** The headers of a stream. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
} as const;

/** Where a stream goes. */
export interface EventStreamReader {
  readonly response: ServerResponse;
  /** What its events take of the byte budget. */
  readonly allowance: Allowance;
}

/** One for each client. `send` and `wait` are awaited in turn: one thing is under way at a time. */
export class EventStream {
  private hasEnded = false;
  private interrupt: () => void = nothing;

  constructor(
    private readonly reader: EventStreamReader,
    private readonly clock: Clock,
  ) {}

  /** The client is gone, or the stream was ended: nothing more is sent. */
  get isOver(): boolean {
    return this.hasEnded;
  }

  /**
   * Begins the stream with the lines `first`, and ends it when `serve` has settled. Where `serve`
   * fails the stream is cut short, so that the client comes back with the id that it has.
   */
  async run(first: string, serve: () => Promise<void>): Promise<void> {
    const { response } = this.reader;
    response.once('close', () => this.end());
    response.writeHead(200, eventStreamHeaders);
    response.write(`: connected\n${first}\n`);
    try {
      await serve();
      response.end();
    } catch (error) {
      response.destroy();
      throw error;
    }
  }

  /** Nothing more is sent; what waits settles. */
  end(): void {
    this.hasEnded = true;
    this.interrupt();
  }

  /** Takes room for a read of what is stored; rejects with `NoRoom`. */
  askForRoom(): Promise<void> {
    return this.reader.allowance.want(readingBytes);
  }

  /** Settles when the system has taken the text, or the client is gone. */
  async send(text: string): Promise<void> {
    const { allowance } = this.reader;
    const bytes = Buffer.from(text);
    allowance.settle(bytes.length);
    for (let start = 0; start < bytes.length && !this.isOver; start += eventSliceBytes) {
      await this.write(bytes.subarray(start, start + eventSliceBytes));
    }
    allowance.settle(0);
  }

  /**
   * Settles when what `watch` was given is called, when the stream is over (true), or after a
   * heartbeat, which sends the lines `place` (false). `watch` answers how it is cancelled.
   */
  async wait(watch: (come: () => void) => () => void, place = ':\n'): Promise<boolean> {
    let cancelWatch = nothing;
    let cancelTimer = nothing;
    const hasCome = await new Promise<boolean>((resolve) => {
      const come = () => resolve(true);
      this.interrupt = come;
      cancelTimer = this.clock.after(heartbeatMs, () => resolve(false));
      cancelWatch = watch(come);
    });
    cancelWatch();
    cancelTimer();
    this.interrupt = nothing;
    if (!hasCome && !this.isOver) await this.send(`${place}\n`);
    return hasCome;
  }

  private write(slice: Buffer): Promise<void> {
    const { response, allowance } = this.reader;
    return new Promise((resolve) => {
      this.interrupt = resolve;
      const isTaken = response.write(slice, () => {
        allowance.taken();
        resolve();
      });
      if (!isTaken) allowance.awaitTaken();
    });
  }
}

function nothing(): void {}
