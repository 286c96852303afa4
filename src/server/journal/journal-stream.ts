/**
 * The journal as server-sent events (administration.md 1.2): what is there, then what comes, each
 * event once, in order.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import { type EventStream, eventSliceBytes } from '../../http/bytes/event-stream.js';
import { type JournalSelection, lookedAt } from './journal-selection.js';

/** Events that are looked at in a row before others get the event loop. */
const looksPerTick = 256;

/** The stream of one client; made and counted by `ShownJournal`. */
export class JournalStream {
  constructor(
    private readonly journal: Journal,
    private readonly events: EventStream,
    /** An event as JSON. */
    private readonly jsonOf: (envelope: EventEnvelope) => Promise<string>,
  ) {}

  /** Sends what is meant from `selection.from` on, until its end, or until it is ended. */
  run(selection: JournalSelection): Promise<void> {
    return this.events.run('', async () => {
      for (let at = selection.from; !this.events.isOver && at < selection.until; ) {
        const end = Math.min(this.journal.highWatermark, selection.until);
        if (at < end) at = await this.sendUpTo({ ...selection, from: at, until: end });
        else await this.waitBeyond(at);
      }
    });
  }

  /** No more events are sent. */
  end(): void {
    this.events.end();
  }

  /** Sends what there is in [from, until); answers where it has come to. */
  private async sendUpTo(selection: JournalSelection): Promise<number> {
    const { events } = this;
    await events.askForRoom();
    let text = '';
    let at = selection.from;
    let looks = 0;
    for await (const { offset, meant } of lookedAt(this.journal, selection)) {
      if (events.isOver) return at;
      if (meant !== null) text += `id: ${offset}\ndata: ${await this.jsonOf(meant)}\n\n`;
      at = offset + 1;
      looks += 1;
      if (looks % looksPerTick === 0) await new Promise((resolve) => setImmediate(resolve));
      if (text.length < eventSliceBytes) continue;
      await events.send(text);
      return at;
    }
    await events.send(text);
    return selection.until;
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
