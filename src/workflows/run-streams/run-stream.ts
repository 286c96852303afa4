/** What happens to one run, as server-sent events: what was, what comes, and its end. */
import type { EventEnvelope } from '../../engine/decider.js';
import { DamagedData, type Journal } from '../../engine/journal.js';
import { type EventStream, eventSliceBytes } from '../../http/bytes/event-stream.js';
import { errorBody } from '../../http/error-shapes.js';
import { damageRefusal } from '../../http/failures.js';
import { messageTerm } from '../../messaging/messages/recorded-events.js';
import { isRunEnd } from '../history/run-log-entry.js';
import type { RunLogRow } from '../logs/run-log-row.js';
import { isRunEvent } from '../run-state/recorded-events.js';
import type { RunFollower } from './run-followers.js';

/** The stream of one client; made and counted by `RunStreams`. */
export class RunStream implements RunFollower {
  /** Rows that were read: they are sent, too, where those behind them cannot be read. */
  private unsent = '';
  private isWoken = false;
  private whenWoken: () => void = () => undefined;

  constructor(
    readonly runId: string,
    private readonly journal: Journal,
    private readonly events: EventStream,
    /** What is shown of an event. */
    private readonly rowsOf: (envelope: EventEnvelope) => Promise<readonly Partial<RunLogRow>[]>,
  ) {}

  /** Sends the events at `from` and behind it, until the run or the stream has ended. */
  run(from: number): Promise<void> {
    return this.events.run('', async () => {
      try {
        await this.follow(from);
      } catch (error) {
        // A client that is cut would come back to the same place, again and again.
        if (!(error instanceof DamagedData)) throw error;
        const body = errorBody(true, damageRefusal(error));
        await this.send(`event: error\ndata: ${body}\n\n`);
      }
    });
  }

  /** Something has happened to the run that is durable. */
  wake(): void {
    this.isWoken = true;
    this.whenWoken();
  }

  private async follow(from: number): Promise<void> {
    for (let at = from; !this.events.isOver; ) {
      this.isWoken = false;
      at = await this.sendFrom(at, this.journal.highWatermark);
      if (at < this.journal.highWatermark) continue;
      while (!this.isWoken && !this.events.isOver) await this.wait();
    }
  }

  /** No more events are sent. */
  end(): void {
    this.events.end();
  }

  /** Sends what there is in [from, until), or a part of it; answers where it has come to. */
  private async sendFrom(from: number, until: number): Promise<number> {
    const { events } = this;
    await events.askForRoom();
    let at = until;
    const terms = [[messageTerm.runId(this.runId)]];
    for await (const each of this.journal.query({ terms, from, until, order: 'oldest' })) {
      if (events.isOver) return from;
      this.unsent += await this.textOf(each);
      if (each.id === this.runId && isRunEvent(each) && isRunEnd(each)) {
        await this.send(`event: end\nid: ${each.offset}\ndata: {"offset":${each.offset}}\n\n`);
        this.end();
        return until;
      }
      at = each.offset + 1;
      if (this.unsent.length >= eventSliceBytes) {
        await this.send();
        return at;
      }
      at = until;
    }
    await this.send();
    return at;
  }

  private async send(more = ''): Promise<void> {
    const text = this.unsent + more;
    this.unsent = '';
    await this.events.send(text);
  }

  private async textOf(envelope: EventEnvelope): Promise<string> {
    const made = await this.rowsOf(envelope);
    // Terms are hashes: what another run is found by may look alike.
    const rows = made.filter(({ workflowRunId }) => workflowRunId === this.runId);
    if (rows.length === 0) return '';
    const { offset } = envelope;
    return `id: ${offset}\ndata: ${JSON.stringify({ offset, rows })}\n\n`;
  }

  /** Settles when there may be more. */
  private async wait(): Promise<void> {
    await this.events.wait((come) => {
      this.whenWoken = come;
      return () => {
        this.whenWoken = () => undefined;
      };
    });
  }
}
