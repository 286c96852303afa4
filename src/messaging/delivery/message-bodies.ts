/** The bytes of a message, wherever the journal holds them: to be delivered, and to be shown. */
import { Injectable } from '@nestjs/common';
import { Payloads } from '../../engine/payloads.js';
import { withDefaultHeaders } from '../../grammar/headers.js';
import { dialects } from '../../http/dialect.js';
import type { CallbackSource, Published } from '../messages/message.events.js';
import { callbackRedaction, redactedBody } from '../messages/redaction.js';
import { RunDeliveries } from '../messages/run-deliveries.js';
import { runHeaders } from '../messages/run-headers.js';
import { StoredMessages } from '../messages/stored-messages.js';
import { callbackBody } from './callback-body.js';

@Injectable()
export class MessageBodies {
  constructor(
    private readonly payloads: Payloads,
    private readonly stored: StoredMessages,
    private readonly runs: RunDeliveries,
  ) {}

  /** At once where the bytes are cached, as they are of a message that was just published. */
  read(published: Published): Buffer | null | Promise<Buffer | null> {
    const { bodyOffset, callbackOf, run } = published.event;
    if (callbackOf !== null) return this.compose(published, callbackOf);
    if (run?.role === 'step') return this.runs.entries(published);
    if (bodyOffset !== null) return this.readAt(bodyOffset);
    return published.body;
  }

  /** What the message itself brings: of a run's list, the one entry that it was published for. */
  readOwn(published: Published): Buffer | null | Promise<Buffer | null> {
    const isStep = published.event.run?.role === 'step';
    return isStep ? this.runs.ownEntry(published) : this.read(published);
  }

  /** What may be shown of that: a callback shows nothing that its message hides. */
  async readShown(published: Published): Promise<Buffer | null> {
    const { redaction, callbackOf } = published.event;
    const source =
      callbackOf === null ? null : await this.stored.published(callbackOf.publishedOffset);
    const hides = callbackRedaction(redaction, source?.event.redaction ?? null);
    return redactedBody(await this.readOwn(published), hides);
  }

  private async readAt(offset: number): Promise<Buffer | null> {
    return (await this.payloads.read(offset)).body;
  }

  private async compose(callback: Published, source: CallbackSource): Promise<Buffer> {
    const published = await this.stored.published(source.publishedOffset);
    const failedRun = callback.event.run?.role === 'failureCallback' ? callback.event.run : null;
    const sourceBody =
      failedRun === null ? await this.read(published) : await this.runs.failedBody(callback);
    const attempt = await this.stored.attempt(source.attemptOffset);
    const sourceHeaders = await this.headersOf(published);
    return callbackBody({ source, published, sourceHeaders, sourceBody, attempt, failedRun });
  }

  /** What was delivered of a message beside its body: clients build their context of it again. */
  private async headersOf(published: Published): Promise<readonly string[]> {
    const { run, headers, dialect } = published.event;
    if (run === null) return headers;
    const ofRun = runHeaders(run, dialects[dialect].messagePrefix);
    return withDefaultHeaders(ofRun, await this.runs.headers(published));
  }
}
