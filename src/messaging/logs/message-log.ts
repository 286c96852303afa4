/** The log of messages: every event of a message is a row or more. */
import { Inject, Injectable } from '@nestjs/common';
import type { EventEnvelope } from '../../engine/decider.js';
import { type MessageEvent, messageKind, type Published } from '../messages/message.events.js';
import { matchesOrigin } from '../messages/message-filter.js';
import { entriesOf, type LogEntry } from './log-entry.js';
import { meansEntry, termsOf } from './log-filter.js';
import type { LogPageContent } from './log-page.js';
import { type WeighedRow } from './log-page.js';
import type { LogRow } from './log-row.js';
import { type LogListing, type LogSource, logPage, type RunningAttempt } from './log-walk.js';
import type { LogQuery } from './logs.request.js';
import { type LoggedMessages, PublishedMessages } from './published-messages.js';

/** What the log of messages is made of. */
export interface MessageLogSource extends LogSource {
  readonly messages: LoggedMessages;
}

/** What all logs are made of: a `MessageLogSource`. */
export const logSource = Symbol('logSource');

@Injectable()
export class MessageLog {
  constructor(@Inject(logSource) private readonly source: MessageLogSource) {}

  /** One page of rows. */
  page(request: LogQuery): Promise<LogPageContent<LogRow>> {
    const { messages } = this.source;
    return logPage(
      this.source,
      request,
      (query, spend) => new MessageListing(query, new PublishedMessages(messages, spend)),
    );
  }
}

class MessageListing implements LogListing<LogRow> {
  readonly terms: LogListing<LogRow>['terms'];
  private readonly open: Set<string>;

  constructor(
    private readonly query: LogQuery,
    private readonly published: PublishedMessages,
  ) {
    this.terms = termsOf(query);
    this.open = new Set(query.messageIds);
  }

  entriesOf(envelope: EventEnvelope): readonly LogEntry[] {
    return isMessageEvent(envelope) ? entriesOf(envelope) : [];
  }

  async rowOf(envelope: EventEnvelope<MessageEvent>, entry: LogEntry) {
    if (!meansEntry(this.query, envelope.id, entry)) return null;
    const message = await this.published.of(envelope);
    return this.meant(message, entry, responseOf(envelope, entry));
  }

  async runningRowOf({ messageId, publishedOffset }: RunningAttempt, entry: LogEntry) {
    if (!meansEntry(this.query, messageId, entry)) return null;
    return this.meant(await this.published.at(publishedOffset), entry, null);
  }

  /** A message has one beginning and one end: behind them there is nothing to look for. */
  isLast(envelope: EventEnvelope): boolean {
    const { messageIds, order } = this.query;
    if (messageIds === null || !isMessageEvent(envelope)) return false;
    if (isLastOf(envelope.event, order === 'latestFirst')) this.open.delete(envelope.id);
    return this.open.size === 0;
  }

  private async meant(
    message: Published | null,
    entry: LogEntry,
    response: Buffer | null,
  ): Promise<WeighedRow<LogRow> | null> {
    if (message === null || !matchesOrigin(message.event, entry.time, this.query)) return null;
    const row = await this.published.row(message, entry, response);
    const { body, responseBody, responseBodyBase64 } = row;
    const shown = [body, responseBody, responseBodyBase64].map((text) => text?.length ?? 0);
    return { row, characters: shown.reduce((sum, length) => sum + length, 0) };
  }
}

function isMessageEvent(envelope: EventEnvelope): envelope is EventEnvelope<MessageEvent> {
  return envelope.kind === messageKind;
}

const endings: ReadonlySet<MessageEvent['type']> = new Set([
  'MessageDelivered',
  'MessageFailed',
  'MessageCompleted',
  'MessageCanceled',
]);

function isLastOf({ type }: MessageEvent, isBackwards: boolean): boolean {
  return isBackwards ? type === 'MessagePublished' : endings.has(type);
}

/** The response of an end stands beside its event; a publish brings its own body. */
function responseOf(envelope: EventEnvelope<MessageEvent>, { end }: LogEntry): Buffer | null {
  return end === null ? null : envelope.body;
}
