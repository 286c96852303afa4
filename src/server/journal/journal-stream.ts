/**
 * The journal as server-sent events (administration.md 1.2): what is there, then what comes, each
 * event once, in order.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import { DamagedData, type Journal } from '../../engine/journal.js';
import { type EventStream, eventSliceBytes } from '../../http/bytes/event-stream.js';
import { errorBody } from '../../http/error-shapes.js';
import { damageRefusal } from '../../http/failures.js';
import { type JournalSelection, lookedAt } from './journal-selection.js';

/** Events that are looked at in a row before others get the event loop. */
const looksPerTick = 256;

/** The stream of one client; made and counted by `ShownJournal`. */
export class JournalStream {
  /** Events that were read: they are sent, too, where those behind them cannot be read. */
  private unsent = '';

  constructor(
    private readonly journal: Journal,
    private readonly events: EventStream,
    /** An event as JSON. */
    private readonly jsonOf: (envelope: EventEnvelope) => Promise<string>,
  ) {}

  /** Sends what is meant from `selection.from` on, until its end, or until it is ended. */
  run(selection: JournalSelection): Promise<void> {
    return this.events.run('', async () => {
      try {
        await this.follow(selection);
      } catch (error) {
        // A client that is cut would come back to the same place, again and again.
        if (!(error instanceof DamagedData)) throw error;
        const body = errorBody(false, damageRefusal(error));
        await this.send(`event: error\ndata: ${body}\n\n`);
      }
    });
  }

  private async follow(selection: JournalSelection): Promise<void> {
    for (let at = selection.from; !this.events.isOver && at < selection.until; ) {
      const end = Math.min(this.journal.highWatermark, selection.until);
      if (at < end) at = await this.sendUpTo({ ...selection, from: at, until: end });
      else await this.waitBeyond(at);
    }
  }

  /** No more events are sent. */
  end(): void {
    this.events.end();
  }

  /** Sends what there is in [from, until); answers where it has come to. */
  private async sendUpTo(selection: JournalSelection): Promise<number> {
    const { events } = this;
    await events.askForRoom();
    let at = selection.from;
    let looks = 0;
    for await (const { offset, meant } of lookedAt(this.journal, selection)) {
      if (events.isOver) return at;
      if (meant !== null) this.unsent += `id: ${offset}\ndata: ${await this.jsonOf(meant)}\n\n`;
      at = offset + 1;
      looks += 1;
      if (looks % looksPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
      if (this.unsent.length < eventSliceBytes) continue;
      await this.send();
      return at;
    }
    await this.send();
    return selection.until;
  }

  private async send(more = ''): Promise<void> {
    const text = this.unsent + more;
    this.unsent = '';
    await this.events.send(text);
  }

  /** Settles when there may be more behind `at`. */
  private async waitBeyond(at: number): Promise<void> {
    // An id alone moves the place at which the client comes back, and is no event.
    const place = at === 0 ? ':\n' : `id: ${at - 1}\n`;
    const hasCome = await this.events.wait((come) => this.journal.whenBeyond(at, come), place);
    // The log has stopped: there is nothing to wait for any more.
    if (hasCome && this.journal.highWatermark <= at) this.end();
  }
}
