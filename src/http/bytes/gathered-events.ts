/** Gathers stored events of a stream into one text, and then sends it. */
import { DamagedData } from '../../../storage/faults/storage-errors.js';
import { errorBody } from '../error-shapes.js';
import { damageRefusal } from '../failures.js';
import { type EventStream, eventSliceBytes } from './event-stream.js';

/** One for each stream. */
export class GatheredEvents {
  /** Events that were read: they are sent even if later ones cannot be read. */
  private unsent = '';

  /** `isMessaging` decides the format of the error if something cannot be read. */
  constructor(
    private readonly events: EventStream,
    private readonly isMessaging: boolean,
  ) {}

  /** Starts the stream, and ends it when `follow` has settled; damage is its last event. */
  run(follow: () => Promise<void>): Promise<void> {
    return this.events.run('', async () => {
      try {
        await follow();
      } catch (error) {
        // A client whose connection is cut would return to the same place again and again.
        if (!(error instanceof DamagedData)) throw error;
        const body = errorBody(this.isMessaging, damageRefusal(error));
        await this.send(`event: error\ndata: ${body}\n\n`);
      }
    });
  }

  add(text: string): void {
    this.unsent += text;
  }

  /** Whether there are enough events to send. */
  get isFull(): boolean {
    return this.unsent.length >= eventSliceBytes;
  }

  /** Sends the gathered events, and then `more`. */
  async send(more = ''): Promise<void> {
    const text = this.unsent + more;
    this.unsent = '';
    await this.events.send(text);
  }
}
