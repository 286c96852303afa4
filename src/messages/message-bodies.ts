/** The bytes that a message is delivered with, wherever the journal holds them (decision 31). */
import type { EventEnvelope } from '../engine/decider.js';
import type { Payloads } from '../engine/payloads.js';
import { callbackBody, type Reported } from './callback-body.js';
import type { CallbackSource, MessagePublished } from './message.events.js';

export class MessageBodies {
  constructor(private readonly payloads: Payloads) {}

  /** At once where the bytes are at hand, which they are for a message that was just published. */
  read(published: EventEnvelope<MessagePublished>): Buffer | null | Promise<Buffer | null> {
    const { bodyOffset, callbackOf } = published.event;
    if (callbackOf !== null) return this.compose(callbackOf);
    if (bodyOffset !== null) return this.readAt(bodyOffset);
    return published.body;
  }

  private async readAt(offset: number): Promise<Buffer | null> {
    return (await this.payloads.read(offset)).body;
  }

  private async compose(source: CallbackSource): Promise<Buffer> {
    const event = await this.payloads.read(source.publishedOffset);
    const published = event as EventEnvelope<MessagePublished>;
    const sourceBody = await this.read(published);
    const attempt = (await this.payloads.read(source.attemptOffset)) as Reported['attempt'];
    return callbackBody({ source, published, sourceBody, attempt });
  }
}
