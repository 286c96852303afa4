/**
 * The journal as server-sent events (administration.md 1.2): what is there, then what comes, each
 * event once, in order.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import type { Allowance } from '../../http/bytes/allowance.js';
import { readingBytes } from '../../http/bytes/in-flight.js';
import { type JournalSelection, lookedAt } from './journal-selection.js';

/** So that proxies keep an idle stream open, and a client that is gone is found. */
const heartbeatMs = 15_000;

/** Written at once: a client that takes less than this in 30 seconds counts as taking nothing. */
const sliceBytes = 64 * 1024;

/** Events that are looked at in a row before others get the event loop. */
const looksPerTick = 256;

/** Where a stream goes. */
export interface JournalReader {
  readonly response: ServerResponse;
  /** What its events take of the byte budget. */
  readonly allowance: Allowance;
}

export class JournalStream {
  private isOver = false;
  private whenOver: () => void = () => undefined;

  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly reader: JournalReader,
    /** An event as JSON. */
    private readonly jsonOf: (envelope: EventEnvelope) => Promise<string>,
  ) {}

  /** Sends what is meant from `selection.from` on, until its end, or until it is ended. */
  async run(selection: JournalSelection): Promise<void> {
    const { response } = this.reader;
    response.once('close', () => this.end());
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.write(': connected\n\n');
    try {
      for (let at = selection.from; !this.isOver && at < selection.until; ) {
        const end = Math.min(this.journal.highWatermark, selection.until);
        if (at < end) at = await this.sendUpTo({ ...selection, from: at, until: end });
        else await this.waitBeyond(at);
      }
      response.end();
    } catch (error) {
      // Cut short, so that the client comes back with the id that it has.
      response.destroy();
      throw error;
    }
  }

  /** No more events are sent. */
  end(): void {
    this.isOver = true;
    this.whenOver();
  }

  /** Sends what there is in [from, until); answers where it has come to. */
  private async sendUpTo(selection: JournalSelection): Promise<number> {
    const { allowance } = this.reader;
    await allowance.want(readingBytes);
    let text = '';
    let at = selection.from;
    let looks = 0;
    for await (const { offset, meant } of lookedAt(this.journal, selection)) {
      if (this.isOver) return at;
      if (meant !== null) text += `id: ${offset}\ndata: ${await this.jsonOf(meant)}\n\n`;
      at = offset + 1;
      looks += 1;
      if (looks % looksPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
      if (text.length < sliceBytes) continue;
      await this.send(text);
      return at;
    }
    await this.send(text);
    return selection.until;
  }

  /** Settles when there may be more behind `at`; tells the client that it is alive meanwhile. */
  private async waitBeyond(at: number): Promise<void> {
    const isThere = await new Promise<boolean>((resolve) => {
      const cancelWait = this.journal.whenBeyond(at, () => resolve(true));
      const cancelTimer = this.clock.after(heartbeatMs, () => resolve(false));
      this.whenOver = () => resolve(true);
      this.settleWait = () => {
        cancelWait();
        cancelTimer();
      };
    });
    this.settleWait();
    this.whenOver = () => undefined;
    // An id alone moves the place at which the client comes back, and is no event.
    if (!isThere && !this.isOver) await this.send(at === 0 ? ':\n\n' : `id: ${at - 1}\n\n`);
    // The log has stopped: there is nothing to wait for any more.
    else if (this.journal.highWatermark <= at) this.end();
  }

  private settleWait: () => void = () => undefined;

  /** Settles when the system has taken it, or the client is gone. */
  private async send(text: string): Promise<void> {
    const { allowance } = this.reader;
    const bytes = Buffer.from(text);
    allowance.settle(bytes.length);
    for (let start = 0; start < bytes.length && !this.isOver; start += sliceBytes) {
      await this.write(bytes.subarray(start, start + sliceBytes));
    }
    allowance.settle(0);
  }

  private write(slice: Buffer): Promise<void> {
    const { response, allowance } = this.reader;
    return new Promise((resolve) => {
      this.whenOver = resolve;
      const isTaken = response.write(slice, () => {
        allowance.taken();
        resolve();
      });
      if (!isTaken) allowance.awaitTaken();
    });
  }
}
