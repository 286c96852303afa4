/** Reads what messages deliver, body and headers, from the journal, both to send and to show it. */
import { Injectable } from '@nestjs/common';
import { Payloads, whenRead } from '../../engine/payloads.js';
import { withDefaultHeaders } from '../../grammar/headers.js';
import { traceHeaders } from '../../grammar/trace-context.js';
import { dialects } from '../../http/dialect.js';
import type { CallbackSource, Published } from '../messages/message.events.js';
import { callbackRedaction, redactedBody } from '../messages/redaction.js';
import { RunDeliveries } from '../messages/run-deliveries.js';
import { StoredMessages } from '../messages/stored-messages.js';
import { runHeaders } from '../outbound/request-head.js';
import { callbackBody } from './callback-body.js';

/** What every attempt of a message sends. */
export interface PreparedDelivery {
  readonly published: Published;
  /** null = no body is sent. */
  readonly body: Buffer | null;
  /** Headers to forward, names and values in turn. */
  readonly headers: readonly string[];
}

/**
 * Bodies belong to the journal and must not be changed. Methods reject if the journal cannot be
 * read; the contents of pending messages are never swept.
 */
@Injectable()
export class MessageContents {
  constructor(
    private readonly payloads: Payloads,
    private readonly stored: StoredMessages,
    private readonly runs: RunDeliveries,
  ) {}

  /**
   * What all attempts send of the message that was published at an offset. Synchronous if the
   * message is cached, as it is when it was just published.
   */
  prepare(publishedOffset: number): PreparedDelivery | Promise<PreparedDelivery> {
    return whenRead(this.stored.published(publishedOffset), (published) =>
      whenRead(this.read(published), (body) => this.prepared(published, body)),
    );
  }

  /** The body that is delivered, unless the method allows none; synchronous if it is cached. */
  read(published: Published): Buffer | null | Promise<Buffer | null> {
    const { bodyOffset, callbackOf, run } = published.event;
    if (callbackOf !== null) return this.compose(published, callbackOf);
    if (run?.role === 'step') return this.runs.entries(published);
    if (bodyOffset !== null) return this.readAt(bodyOffset);
    return published.body;
  }

  /** The message's own content: for a step, only the one entry that it was published for. */
  readOwn(published: Published): Buffer | null | Promise<Buffer | null> {
    const isStep = published.event.run?.role === 'step';
    return isStep ? this.runs.ownEntry(published) : this.read(published);
  }

  /** The part of `readOwn` that may be shown. A callback shows nothing that its source hides. */
  async readShown(published: Published): Promise<Buffer | null> {
    const { redaction, callbackOf } = published.event;
    const source =
      callbackOf === null ? null : await this.stored.published(callbackOf.publishedOffset);
    const hides = callbackRedaction(redaction, source?.event.redaction ?? null);
    return redactedBody(await this.readOwn(published), hides);
  }

  private prepared(
    published: Published,
    read: Buffer | null,
  ): PreparedDelivery | Promise<PreparedDelivery> {
    const body = published.event.method === 'GET' ? null : read;
    return whenRead(this.forwarded(published), (headers) => ({ published, body, headers }));
  }

  private forwarded(published: Published): readonly string[] | Promise<readonly string[]> {
    const { run, callbackOf, headers } = published.event;
    const own = run === null ? headers : this.runs.headers(published);
    return callbackOf === null ? own : this.withSourceTrace(own, callbackOf);
  }

  /** A callback belongs to the trace of the message that it reports on. */
  private async withSourceTrace(
    own: readonly string[] | Promise<readonly string[]>,
    { publishedOffset }: CallbackSource,
  ): Promise<readonly string[]> {
    const { event } = await this.stored.published(publishedOffset);
    return withDefaultHeaders(await own, traceHeaders(event.headers));
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

  /** The headers delivered with a message: clients rebuild their context from them. */
  private async headersOf(published: Published): Promise<readonly string[]> {
    const { run, headers, dialect } = published.event;
    if (run === null) return headers;
    const ofRun = runHeaders(run, dialects[dialect].messagePrefix);
    return withDefaultHeaders(ofRun, await this.runs.headers(published));
  }
}
