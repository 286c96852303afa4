/** Counts rows of the logs by state, destination or name: for facets and histograms. */
import { Inject, Injectable } from '@nestjs/common';
import type { EventEnvelope } from '../../engine/decider.js';
import { whenRead } from '../../engine/payloads.js';
import type { MessageEvent, MessagePublished } from '../messages/message.events.js';
import { looksAtMessage } from '../messages/message-filter.js';
import { showsText } from './contained-text.js';
import type { LogEntry } from './log-entry.js';
import { meansEntry } from './log-filter.js';
import type { WeighedRow } from './log-page.js';
import type { LoggedEvent } from './log-row.js';
import type { LogSource } from './log-source.js';
import { type CountedRow, type LogCounts, LogTally } from './log-tally.js';
import { fill, type MadeRow, type WalkQuery } from './log-walk.js';
import type { CountedProperty, CountsQuery } from './logs.request.js';
import { MessageListing } from './message-listing.js';
import { logSource } from './message-log.js';
import { type Published, PublishedMessages } from './published-messages.js';

/** Counting may examine this many times more events than a page, in the same time. */
const eventsFactor = 10;

/** The newest rows are counted first, so that counts are complete back to a certain time. */
const order = 'latestFirst';

/** Walks the same rows as a page does, with a larger budget. */
@Injectable()
export class MessageLogCounts {
  constructor(@Inject(logSource) private readonly source: LogSource) {}

  /** Counts the matching rows; if that would cost too much, only the newer ones. */
  async counts(request: CountsQuery & Pick<WalkQuery, 'isWanted'>): Promise<LogCounts> {
    const { clock, budget: ofPage } = this.source;
    const budget = { ...ofPage, events: ofPage.events * eventsFactor };
    const tally = new LogTally(request.bucketMs, clock, budget);
    await fill(
      this.source,
      { ...request, order, count: Number.POSITIVE_INFINITY } as const,
      tally,
      (query, spend, { messages }) =>
        new CountListing(query, new PublishedMessages(messages, spend)),
    );
    return tally.content;
  }
}

class CountListing extends MessageListing<CountedRow> {
  private readonly by: CountedProperty;
  private readonly contains: string | null;
  /** Whether messages must be read back; most counts need none. */
  private readonly readsMessages: boolean;

  constructor(
    private readonly counted: CountsQuery,
    published: PublishedMessages,
  ) {
    super({ ...counted, order }, published);
    const { by, contains } = counted;
    this.by = by;
    this.contains = contains;
    const isOfMessage = by !== 'state' && by !== 'responseStatus';
    this.readsMessages = isOfMessage || contains !== null || looksAtMessage(counted);
  }

  override rowOf(envelope: EventEnvelope<MessageEvent>, entry: LogEntry): MadeRow<CountedRow> {
    if (this.readsMessages) return super.rowOf(envelope, entry);
    return meansEntry(this.counted, envelope.id, entry) ? counted(entry, this.by, null) : null;
  }

  protected made(
    message: Published,
    entry: LogEntry,
    logged: LoggedEvent | null,
  ): MadeRow<CountedRow> {
    const { contains, by } = this;
    if (contains === null) return counted(entry, by, message.event);
    return whenRead(this.published.row(message, entry, logged), (row) =>
      showsText(row, contains) ? counted(entry, by, message.event) : null,
    );
  }
}

function counted(
  entry: LogEntry,
  by: CountedProperty,
  message: MessagePublished | null,
): WeighedRow<CountedRow> {
  return { row: { time: entry.time, keys: keysOf(by, entry, message) }, characters: 0 };
}

/** The keys that a row counts for; none if it lacks the property. */
function keysOf(
  by: CountedProperty,
  { state, end }: LogEntry,
  message: MessagePublished | null,
): readonly string[] {
  if (by === 'state') return [state];
  if (by === 'responseStatus') return end === null ? [] : [String(end.status)];
  if (message === null) return [];
  switch (by) {
    case 'host':
      return [new URL(message.url).host];
    case 'label':
      return message.labels;
    case 'flowControlKey':
      return message.flowControl === null ? [] : [message.flowControl.key];
    default: {
      const name = message[by];
      return name === null ? [] : [name];
    }
  }
}
