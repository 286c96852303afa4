/** Selects the events of messages that match a query, for any kind of row. */
import type { EventEnvelope } from '../../engine/decider.js';
import { whenRead } from '../../engine/payloads.js';
import type { MessageEvent } from '../messages/message.events.js';
import { matchesOrigin } from '../messages/message-filter.js';
import { isMessageEvent } from '../messages/recorded-events.js';
import { entriesOf, type LogEntry } from './log-entry.js';
import { meansEntry, termsOf } from './log-filter.js';
import type { LoggedEvent } from './log-row.js';
import type { RunningAttempt } from './log-source.js';
import type { LogListing, MadeRow, WalkQuery } from './log-walk.js';
import type { LogFilters } from './logs.request.js';
import type { Published, PublishedMessages } from './published-messages.js';

/** Created for one request. Subclasses define the rows by `made`. */
export abstract class MessageListing<Row> implements LogListing<Row> {
  readonly terms: LogListing<Row>['terms'];
  private readonly open: Set<string>;

  constructor(
    private readonly query: LogFilters & Pick<WalkQuery, 'order'>,
    protected readonly published: PublishedMessages,
  ) {
    this.terms = termsOf(query);
    this.open = new Set(query.messageIds);
  }

  /** Makes the row of a matching entry; null = it does not match after all. */
  protected abstract made(
    message: Published,
    entry: LogEntry,
    logged: LoggedEvent | null,
  ): MadeRow<Row>;

  meet(envelopes: readonly EventEnvelope[]): void {
    this.published.meet(envelopes, (envelope) =>
      this.entriesOf(envelope).some((entry) => meansEntry(this.query, envelope.id, entry)),
    );
  }

  entriesOf(envelope: EventEnvelope): readonly LogEntry[] {
    return isMessageEvent(envelope) ? entriesOf(envelope) : [];
  }

  rowOf(envelope: EventEnvelope<MessageEvent>, entry: LogEntry): MadeRow<Row> {
    if (!meansEntry(this.query, envelope.id, entry)) return null;
    return whenRead(this.published.of(envelope), (message) =>
      this.selected(message, entry, loggedAs(envelope, entry)),
    );
  }

  async runningRowOf({ messageId, publishedOffset }: RunningAttempt, entry: LogEntry) {
    if (!meansEntry(this.query, messageId, entry)) return null;
    return this.selected(await this.published.at(publishedOffset), entry, null);
  }

  /** A message has one beginning and one end: beyond them there is nothing to search. */
  isLast(envelope: EventEnvelope): boolean {
    const { messageIds, order } = this.query;
    if (messageIds === null || !isMessageEvent(envelope)) return false;
    if (isLastOf(envelope.event, order === 'latestFirst')) this.open.delete(envelope.id);
    return this.open.size === 0;
  }

  private selected(
    message: Published | null,
    entry: LogEntry,
    logged: LoggedEvent | null,
  ): MadeRow<Row> {
    const isSelected = message !== null && matchesOrigin(message.event, entry.time, this.query);
    return isSelected ? this.made(message, entry, logged) : null;
  }
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

/** An event that records an end has the body of the response; a publish has its own body. */
function loggedAs({ offset, body }: EventEnvelope<MessageEvent>, { end }: LogEntry): LoggedEvent {
  return { offset, response: end === null ? null : body };
}
