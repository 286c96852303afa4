/** What happens to one run, as server-sent events: the past events, those to come, and the end. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import type { EventStream } from '../../http/bytes/event-stream.js';
import { GatheredEvents } from '../../http/bytes/gathered-events.js';
import { messageTerm } from '../../messaging/messages/recorded-events.js';
import { isRunEnd } from '../history/run-log-entry.js';
import type { RunLogRow } from '../logs/run-log-row.js';
import { isRunEvent } from '../run-state/recorded-events.js';
import type { RunFollower } from './run-followers.js';

/** The stream of one client; created and counted by `RunStreams`. */
export class RunStream implements RunFollower {
  private readonly gathered: GatheredEvents;
  private isWoken = false;
  private whenWoken: () => void = () => undefined;

  constructor(
    readonly runId: string,
    private readonly journal: Journal,
    private readonly events: EventStream,
    /** The rows that are shown for an event. */
    private readonly rowsOf: (envelope: EventEnvelope) => Promise<readonly Partial<RunLogRow>[]>,
  ) {
    this.gathered = new GatheredEvents(events, true);
  }

  /** Sends the events from offset `from` on, until the run or the stream ends. */
  run(from: number): Promise<void> {
    return this.gathered.run(() => this.follow(from));
  }

  /** Reports that something durable has happened to the run. */
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

  /** Ends the stream: no more events are sent. */
  end(): void {
    this.events.end();
  }

  /**
   * Sends the events in [from, until), or only the first of them; returns the offset at which to
   * continue.
   */
  private async sendFrom(from: number, until: number): Promise<number> {
    const { events, gathered } = this;
    await events.askForRoom();
    let at = until;
    const terms = [[messageTerm.runId(this.runId)]];
    for await (const each of this.journal.query({ terms, from, until, order: 'oldest' })) {
      if (events.isOver) return from;
      gathered.add(await this.textOf(each));
      if (each.id === this.runId && isRunEvent(each) && isRunEnd(each)) {
        await gathered.send(`event: end\nid: ${each.offset}\ndata: {"offset":${each.offset}}\n\n`);
        this.end();
        return until;
      }
      at = each.offset + 1;
      if (gathered.isFull) {
        await gathered.send();
        return at;
      }
      at = until;
    }
    await gathered.send();
    return at;
  }

  private async textOf(envelope: EventEnvelope): Promise<string> {
    const made = await this.rowsOf(envelope);
    // Terms are hashes, so the query may also return events of another run.
    const rows = made.filter(({ workflowRunId }) => workflowRunId === this.runId);
    if (rows.length === 0) return '';
    const { offset } = envelope;
    return `id: ${offset}\ndata: ${JSON.stringify({ offset, rows })}\n\n`;
  }

  /** Resolves when there may be more events. */
  private async wait(): Promise<void> {
    await this.events.wait((come) => {
      this.whenWoken = come;
      return () => {
        this.whenWoken = () => undefined;
      };
    });
  }
}
