/** What happens to one run, as server-sent events: what was, what comes, and its end. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../engine/clock.js';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import type { Allowance } from '../../http/bytes/allowance.js';
import { readingBytes } from '../../http/bytes/in-flight.js';
import { messageTerm } from '../../messaging/messages/message-terms.js';
import { isRunEnd } from '../history/run-log-entry.js';
import type { RunLogRow } from '../logs/run-log-row.js';
import { isRunEvent } from '../run-state/recorded-events.js';
import type { RunFollower } from './run-followers.js';

/** So that proxies keep an idle stream open, and a client that is gone is found. */
const heartbeatMs = 15_000;

/** Written at once: a client that takes less than this in 30 seconds counts as taking nothing. */
const sliceBytes = 64 * 1024;

/** Where a stream goes. */
export interface RunStreamReader {
  readonly response: ServerResponse;
  readonly allowance: Allowance;
}

export class RunStream implements RunFollower {
  private isOver = false;
  private isWoken = false;
  private interrupt: () => void = () => undefined;
  private whenOver: () => void = () => undefined;

  constructor(
    readonly runId: string,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly reader: RunStreamReader,
    /** What is shown of an event. */
    private readonly rowsOf: (envelope: EventEnvelope) => Promise<readonly Partial<RunLogRow>[]>,
  ) {}

  /** Sends the events at `from` and behind it, until the run or the stream has ended. */
  async run(from: number): Promise<void> {
    const { response } = this.reader;
    response.once('close', () => this.end());
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.write(': connected\n\n');
    try {
      for (let at = from; !this.isOver; ) {
        this.isWoken = false;
        at = await this.sendFrom(at, this.journal.highWatermark);
        if (at < this.journal.highWatermark) continue;
        await this.wait();
      }
      response.end();
    } catch (error) {
      // Cut short, so that the client comes back with the id that it has.
      response.destroy();
      throw error;
    }
  }

  wake(): void {
    this.isWoken = true;
    this.interrupt();
  }

  /** No more events are sent. */
  end(): void {
    this.isOver = true;
    this.interrupt();
    this.whenOver();
  }

  /** Sends what there is in [from, until), or a part of it; answers where it has come to. */
  private async sendFrom(from: number, until: number): Promise<number> {
    const { allowance } = this.reader;
    await allowance.want(readingBytes);
    let text = '';
    let at = until;
    const terms = [[messageTerm.runId(this.runId)]];
    for await (const each of this.journal.query({ terms, from, until, order: 'oldest' })) {
      if (this.isOver) return from;
      text += await this.textOf(each);
      if (each.id === this.runId && isRunEvent(each) && isRunEnd(each)) {
        text += `event: end\nid: ${each.offset}\ndata: {"offset":${each.offset}}\n\n`;
        await this.send(text);
        this.end();
        return until;
      }
      at = each.offset + 1;
      if (text.length >= sliceBytes) {
        await this.send(text);
        return at;
      }
      at = until;
    }
    await this.send(text);
    return at;
  }

  private async textOf(envelope: EventEnvelope): Promise<string> {
    const made = await this.rowsOf(envelope);
    // Terms are hashes: what another run is found by may look alike.
    const rows = made.filter(({ workflowRunId }) => workflowRunId === this.runId);
    if (rows.length === 0) return '';
    const { offset } = envelope;
    return `id: ${offset}\ndata: ${JSON.stringify({ offset, rows })}\n\n`;
  }

  /** Settles when there may be more; tells the client that the stream is alive meanwhile. */
  private async wait(): Promise<void> {
    while (!this.isWoken && !this.isOver) {
      const isQuiet = await new Promise<boolean>((resolve) => {
        const cancel = this.clock.after(heartbeatMs, () => resolve(true));
        this.interrupt = () => {
          cancel();
          resolve(false);
        };
      });
      this.interrupt = () => undefined;
      if (isQuiet && !this.isOver) await this.send(':\n\n');
    }
  }

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
