/** Events of a stream that are read from what is stored: gathered into one text, then sent. */
import { DamagedData } from '../../../storage/faults/storage-errors.js';
import { errorBody } from '../error-shapes.js';
import { damageRefusal } from '../failures.js';
import { type EventStream, eventSliceBytes } from './event-stream.js';

/** One for each stream. */
export class GatheredEvents {
  /** Events that were read: they are sent, too, where those behind them cannot be read. */
  private unsent = '';

  /** `isMessaging`: in which shape it says that something cannot be read. */
  constructor(
    private readonly events: EventStream,
    private readonly isMessaging: boolean,
  ) {}

  /** Begins the stream, and ends it when `follow` has settled; damage is its last event. */
  run(follow: () => Promise<void>): Promise<void> {
    return this.events.run('', async () => {
      try {
        await follow();
      } catch (error) {
        // A client that is cut would come back to the same place, again and again.
        if (!(error instanceof DamagedData)) throw error;
        const body = errorBody(this.isMessaging, damageRefusal(error));
        await this.send(`event: error\ndata: ${body}\n\n`);
      }
    });
  }

  add(text: string): void {
    this.unsent += text;
  }

  /** There are enough of them to be sent. */
  get isFull(): boolean {
    return this.unsent.length >= eventSliceBytes;
  }

  /** Sends what was gathered, and `more` behind it. */
  async send(more = ''): Promise<void> {
    const text = this.unsent + more;
    this.unsent = '';
    await this.events.send(text);
  }
}
