/** The bytes of a message, wherever the journal holds them: to be delivered, and to be shown. */
import type { EventEnvelope } from '../engine/decider.js';
import type { Payloads } from '../engine/payloads.js';
import { callbackBody, type Reported } from './callback-body.js';
import type { CallbackSource, MessagePublished, Redaction } from './message.events.js';
import { redactedBody } from './redaction.js';

const wholeBody: Redaction = { body: true, headers: [] };

export class MessageBodies {
  constructor(private readonly payloads: Payloads) {}

  /** At once where the bytes are at hand, which they are for a message that was just published. */
  read(published: EventEnvelope<MessagePublished>): Buffer | null | Promise<Buffer | null> {
    const { bodyOffset, callbackOf } = published.event;
    if (callbackOf !== null) return this.compose(callbackOf);
    if (bodyOffset !== null) return this.readAt(bodyOffset);
    return published.body;
  }

  /** What may be shown of it: a callback tells nothing of a message that hides something. */
  async readShown(published: EventEnvelope<MessagePublished>): Promise<Buffer | null> {
    const { redaction, callbackOf } = published.event;
    const source = callbackOf === null ? null : await this.published(callbackOf.publishedOffset);
    const hides = (source?.event.redaction ?? null) === null ? redaction : wholeBody;
    return redactedBody(await this.read(published), hides);
  }

  private async readAt(offset: number): Promise<Buffer | null> {
    return (await this.payloads.read(offset)).body;
  }

  private async compose(source: CallbackSource): Promise<Buffer> {
    const published = await this.published(source.publishedOffset);
    const sourceBody = await this.read(published);
    const attempt = (await this.payloads.read(source.attemptOffset)) as Reported['attempt'];
    return callbackBody({ source, published, sourceBody, attempt });
  }

  private async published(offset: number): Promise<EventEnvelope<MessagePublished>> {
    return (await this.payloads.read(offset)) as EventEnvelope<MessagePublished>;
  }
}
