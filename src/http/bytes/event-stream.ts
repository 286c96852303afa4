/**
 * Sends server-sent events (WHATWG HTML, "server-sent events") to one client, at the pace at which
 * the client takes them and within the byte budget.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../engine/clock.js';
import { ok, Refusal, type Result, refused } from '../../grammar/result.js';
import type { RequestHead } from '../request-head.js';
import type { Allowance } from './allowance.js';
import { readingBytes } from './in-flight.js';

/** Interval between heartbeats: proxies keep the idle stream open, and a lost client is noticed. */
export const heartbeatMs = 15_000;

/** Size of one write: a client that takes less than this in 30 seconds counts as taking nothing. */
export const eventSliceBytes = 64 * 1024;

/** The response headers of a stream. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
} as const;

/** The receiver of a stream. */
export interface EventStreamReader {
  readonly response: ServerResponse;
  /** The allowance that its events count against. */
  readonly allowance: Allowance;
}

/**
 * For an id that the journal has not reached: a client that waited for events after it would miss
 * those before it.
 */
export const foreignEvent: Refusal = new Refusal(
  'invalid',
  'Last-Event-ID lies after the end of the journal: it comes from another journal',
);

/**
 * The offset of the last event that the client has, by its id; null = the client names none. Any
 * other id is refused: a stream that began somewhere else would leave out events unnoticed.
 */
export function lastOffsetOf({ headers }: RequestHead): Result<number | null> {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return ok(null);
  if (/^\d{1,15}$/.test(String(id))) return ok(Number(id));
  return refused('the header Last-Event-ID is not the id of an event');
}

/** One per client. Await `send` and `wait` in turn: only one may be in progress at a time. */
export class EventStream {
  private hasEnded = false;
  private interrupt: () => void = nothing;

  constructor(
    private readonly reader: EventStreamReader,
    private readonly clock: Clock,
  ) {}

  /** Whether the client is gone or the stream was ended: nothing more is sent then. */
  get isOver(): boolean {
    return this.hasEnded;
  }

  /**
   * Begins the stream with the lines `first`, and ends it when `serve` has finished. If `serve`
   * fails, the connection is cut, so that the client reconnects with the last id it has.
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

  /** Ends the stream: nothing more is sent, and pending waits resolve. */
  end(): void {
    this.hasEnded = true;
    this.interrupt();
  }

  /** Takes room for reading stored data; rejects with `NoRoom`. */
  askForRoom(): Promise<void> {
    return this.reader.allowance.want(readingBytes);
  }

  /** Sends a text; resolves when the operating system has taken it or the client is gone. */
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
   * Resolves when `watch` calls its callback or the stream is over (true), or after a heartbeat,
   * which sends the lines `place` (false). `watch` returns a function that cancels it.
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
