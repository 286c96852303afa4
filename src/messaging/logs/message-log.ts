/** The log of messages: every event of a message is one or more rows. */
import { Inject, Injectable } from '@nestjs/common';
import { whenRead } from '../../engine/payloads.js';
import { showsText } from './contained-text.js';
import type { LogEntry } from './log-entry.js';
import type { LogPageContent, WeighedRow } from './log-page.js';
import { type LoggedEvent, type LogRow, trimmedRow } from './log-row.js';
import type { LogSource } from './log-source.js';
import { logPage, type MadeRow } from './log-walk.js';
import type { LogQuery } from './logs.request.js';
import { MessageListing } from './message-listing.js';
import { type Published, PublishedMessages } from './published-messages.js';

/** The token of the source of all logs: a `LogSource`. */
export const logSource = Symbol('logSource');

/** Reads only the journal: swept events are missing, and damaged ones are named beside the rows. */
@Injectable()
export class MessageLog {
  constructor(@Inject(logSource) private readonly source: LogSource) {}

  /** One page of rows. */
  page(request: LogQuery): Promise<LogPageContent<LogRow>> {
    return logPage(
      this.source,
      request,
      (query, spend, { messages }) => new RowListing(query, new PublishedMessages(messages, spend)),
    );
  }
}

class RowListing extends MessageListing<LogRow> {
  private readonly contains: string | null;
  private readonly trimBody: number | null;

  constructor(query: LogQuery, published: PublishedMessages) {
    super(query, published);
    this.contains = query.contains;
    this.trimBody = query.trimBody;
  }

  protected made(message: Published, entry: LogEntry, logged: LoggedEvent | null): MadeRow<LogRow> {
    return whenRead(this.published.row(message, entry, logged), (row) => this.weighed(row));
  }

  private weighed(whole: LogRow): WeighedRow<LogRow> | null {
    if (this.contains !== null && !showsText(whole, this.contains)) return null;
    const row = this.trimBody === null ? whole : trimmedRow(whole, this.trimBody);
    const { body, responseBody, responseBodyBase64 } = row;
    const shown = [body, responseBody, responseBodyBase64].map((text) => text?.length ?? 0);
    return { row, characters: shown.reduce((sum, length) => sum + length, 0) };
  }
}
