/**
 * The journal as server-sent events (administration.md 1.2): the existing events, then new ones,
 * each once, in order.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { EventEnvelope } from '../../engine/decider.js';
import type { Journal } from '../../engine/journal.js';
import type { EventStream } from '../../http/bytes/event-stream.js';
import { GatheredEvents } from '../../http/bytes/gathered-events.js';
import { type JournalSelection, lookedAt } from './journal-selection.js';

/** How many events are examined in a row before other work gets the event loop. */
const itemsPerTick = 256;

/** The stream of one client; created and counted by `ShownJournal`. */
export class JournalStream {
  private readonly gathered: GatheredEvents;

  constructor(
    private readonly journal: Journal,
    private readonly events: EventStream,
    /** Formats an event as JSON. */
    private readonly jsonOf: (envelope: EventEnvelope) => Promise<string>,
  ) {
    this.gathered = new GatheredEvents(events, false);
  }

  /**
   * Sends matching events from `selection.from` on, until the end of the selection or of the
   * stream.
   */
  run(selection: JournalSelection): Promise<void> {
    return this.gathered.run(() => this.follow(selection));
  }

  private async follow(selection: JournalSelection): Promise<void> {
    for (let at = selection.from; !this.events.isOver && at < selection.until; ) {
      const end = Math.min(this.journal.highWatermark, selection.until);
      if (at < end) at = await this.sendUpTo({ ...selection, from: at, until: end });
      else await this.waitBeyond(at);
    }
  }

  /** Sends no more events. */
  end(): void {
    this.events.end();
  }

  /** Sends the events in [from, until); returns the offset that it has reached. */
  private async sendUpTo(selection: JournalSelection): Promise<number> {
    const { events, gathered } = this;
    await events.askForRoom();
    let at = selection.from;
    let looks = 0;
    for await (const { offset, selected } of lookedAt(this.journal, selection)) {
      if (events.isOver) return at;
      if (selected !== null)
        gathered.add(`id: ${offset}\ndata: ${await this.jsonOf(selected)}\n\n`);
      at = offset + 1;
      looks += 1;
      if (looks % itemsPerTick === 0) await nextTick();
      if (!gathered.isFull) continue;
      await gathered.send();
      return at;
    }
    await gathered.send();
    return selection.until;
  }

  /** Settles when there may be events after `at`. */
  private async waitBeyond(at: number): Promise<void> {
    // An id alone updates the place from which the client would resume, and is not an event.
    const place = at === 0 ? ':\n' : `id: ${at - 1}\n`;
    const hasCome = await this.events.wait((come) => this.journal.whenBeyond(at, come), place);
    // The log has stopped, so there is nothing left to wait for.
    if (hasCome && this.journal.highWatermark <= at) this.end();
  }
}
