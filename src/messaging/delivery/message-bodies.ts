/** The bytes of a message, wherever the journal holds them: to be delivered, and to be shown. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Payloads } from '../../engine/payloads.js';
import { withDefaultHeaders } from '../../grammar/default-headers.js';
import { dialects } from '../../http/dialect.js';
import { callbackBody, type Reported } from './callback-body.js';
import type { CallbackSource, MessagePublished } from './message.events.js';
import { callbackRedaction, redactedBody } from './redaction.js';
import type { RunDeliveries } from './run-deliveries.js';
import { runHeaders } from './run-headers.js';

export class MessageBodies {
  constructor(
    private readonly payloads: Payloads,
    private readonly runs: RunDeliveries,
  ) {}

  /** At once where the bytes are at hand, which they are for a message that was just published. */
  read(published: EventEnvelope<MessagePublished>): Buffer | null | Promise<Buffer | null> {
    const { bodyOffset, callbackOf, run } = published.event;
    if (callbackOf !== null) return this.compose(published, callbackOf);
    if (run?.role === 'step') return this.runs.entries(published);
    if (bodyOffset !== null) return this.readAt(bodyOffset);
    return published.body;
  }

  /** What the message itself brings: of a run's list, the one entry that it was published for. */
  readOwn(published: EventEnvelope<MessagePublished>): Buffer | null | Promise<Buffer | null> {
    const isStep = published.event.run?.role === 'step';
    return isStep ? this.runs.ownEntry(published) : this.read(published);
  }

  /** What may be shown of that: a callback tells nothing of a message that hides something. */
  async readShown(published: EventEnvelope<MessagePublished>): Promise<Buffer | null> {
    const { redaction, callbackOf } = published.event;
    const source = callbackOf === null ? null : await this.published(callbackOf.publishedOffset);
    const hides = callbackRedaction(redaction, source?.event.redaction ?? null);
    return redactedBody(await this.readOwn(published), hides);
  }

  private async readAt(offset: number): Promise<Buffer | null> {
    return (await this.payloads.read(offset)).body;
  }

  private async compose(
    callback: EventEnvelope<MessagePublished>,
    source: CallbackSource,
  ): Promise<Buffer> {
    const published = await this.published(source.publishedOffset);
    const failedRun = callback.event.run?.role === 'failureCallback' ? callback.event.run : null;
    const sourceBody =
      failedRun === null ? await this.read(published) : await this.runs.failedBody(callback);
    const attempt = (await this.payloads.read(source.attemptOffset)) as Reported['attempt'];
    const sourceHeaders = await this.headersOf(published);
    return callbackBody({ source, published, sourceHeaders, sourceBody, attempt, failedRun });
  }

  /** What was delivered of a message beside its body: clients build their context of it again. */
  private async headersOf(published: EventEnvelope<MessagePublished>): Promise<readonly string[]> {
    const { run, headers, dialect } = published.event;
    if (run === null) return headers;
    const ofRun = runHeaders(run, dialects[dialect].messagePrefix);
    return withDefaultHeaders(ofRun, await this.runs.headers(published));
  }

  private async published(offset: number): Promise<EventEnvelope<MessagePublished>> {
    return (await this.payloads.read(offset)) as EventEnvelope<MessagePublished>;
  }
}
