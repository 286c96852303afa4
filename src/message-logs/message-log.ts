/**
 * The log of messages: pages of rows, made of the journal's events when somebody asks (decision
 * 30). It holds nothing between two pages.
 */
import type { Clock } from '../engine/clock.js';
import type { EventEnvelope } from '../engine/decider.js';
import type { Journal, JournalQuery } from '../engine/journal.js';
import { type MessageEvent, messageKind } from '../messages/message.events.js';
import { matchesOrigin } from '../messages/message-filter.js';
import { activeEntry, entriesOf, entryPlaceMax, type LogEntry } from './log-entry.js';
import { meansEntry, termsOf } from './log-filter.js';
import { LogPage, type LogPageContent } from './log-page.js';
import type { LogQuery } from './logs.request.js';
import { type LoggedMessages, PublishedMessages } from './published-messages.js';

/** An attempt in flight: what the journal does not know yet. */
export interface RunningAttempt {
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Journal offset of the message's `MessagePublished`. */
  readonly publishedOffset: number;
}

/** What the log is made of. */
export interface MessageLogDesk {
  readonly journal: Journal;
  /** Settles when everything decided so far is durable. */
  readonly durable: () => Promise<void>;
  /** The attempts in flight now. */
  readonly running: () => readonly RunningAttempt[];
  readonly messages: LoggedMessages;
  readonly clock: Clock;
  /** Rows older than this are not shown, milliseconds. */
  readonly retentionMs: number;
  /** The longest an attempt takes, milliseconds. */
  readonly attemptMsMax: number;
  /** What one page may cost, in events looked at and milliseconds. */
  readonly budget: { readonly events: number; readonly milliseconds: number };
}

/** Between a timestamp and its place in the journal: a commit, a clock that was set back a bit. */
const timeSlackMs = 60_000;

/** The present, in one moment: what is not in the journal below `end` is running. */
interface Present {
  readonly running: readonly RunningAttempt[];
  readonly end: number;
}

export class MessageLog {
  constructor(private readonly desk: MessageLogDesk) {}

  /**
   * One page. A short one with a cursor is what could be found at the cost that a page may have;
   * without a cursor there is no more. Rows are ordered by the event that tells of them, and the
   * rows of attempts in flight are newer than all others.
   */
  async page(asked: LogQuery): Promise<LogPageContent> {
    const { journal, durable, running, clock, retentionMs } = this.desk;
    const present: Present = { running: running(), end: journal.endOffset };
    await durable();
    const oldest = clock.now() - retentionMs;
    const query = { ...asked, fromDate: Math.max(asked.fromDate ?? 0, oldest) };
    const page = new LogPage(query.count, clock, this.desk.budget);
    const published = new PublishedMessages(this.desk.messages, () => page.spend());
    const parts = [
      () => this.addRunning(page, query, present, published),
      () => this.addRecorded(page, query, present, published),
    ];
    for (const part of query.order === 'latestFirst' ? parts : parts.reverse()) {
      if (!page.isFull) await part();
    }
    return page.content;
  }

  private async addRunning(
    page: LogPage,
    query: LogQuery,
    { running, end }: Present,
    published: PublishedMessages,
  ): Promise<void> {
    const { cursor } = query;
    const isBackwards = query.order === 'latestFirst';
    if (isBackwards && cursor?.at === 'journal') return;
    const journalEnd = cursor?.at === 'running' ? cursor.journalEnd : end;
    const behind = cursor?.at === 'running' ? cursor : null;
    const rising = [...running].sort(inOrder);
    for (const attempt of isBackwards ? rising.reverse() : rising) {
      const { messageId, startedAt, publishedOffset } = attempt;
      const distance = behind === null ? 1 : inOrder(attempt, behind);
      if (isBackwards && behind !== null ? distance >= 0 : distance <= 0) continue;
      const entry = activeEntry(startedAt);
      if (!meansEntry(query, messageId, entry)) continue;
      const message = await published.at(publishedOffset);
      if (message === null || !matchesOrigin(message.event, startedAt, query)) continue;
      page.add(await published.row(message, entry, null), {
        at: 'running',
        startedAt,
        messageId,
        journalEnd,
      });
      if (page.isFull) return;
    }
  }

  private async addRecorded(
    page: LogPage,
    query: LogQuery,
    present: Present,
    published: PublishedMessages,
  ): Promise<void> {
    if (query.order === 'earliestFirst' && query.cursor?.at === 'running') return;
    const isBackwards = query.order === 'latestFirst';
    const open = new Set(query.messageIds);
    const range = await this.rangeOf(query, present.end);
    for await (const envelope of this.desk.journal.query(range)) {
      page.spend();
      if (isMessageEvent(envelope)) {
        await this.addEvent(page, query, envelope, published);
        if (page.isFull) return;
        if (isLastOf(envelope.event, isBackwards)) open.delete(envelope.id);
        // A message has one beginning and one end: behind them there is nothing to look for.
        if (query.messageIds !== null && open.size === 0) return;
      }
      if (page.isSpent) {
        const place = isBackwards ? 0 : entryPlaceMax;
        page.interrupt({ at: 'journal', offset: envelope.offset, place });
        return;
      }
    }
  }

  private async addEvent(
    page: LogPage,
    query: LogQuery,
    envelope: EventEnvelope<MessageEvent>,
    published: PublishedMessages,
  ): Promise<void> {
    const isBackwards = query.order === 'latestFirst';
    const entries = [...entriesOf(envelope).entries()];
    for (const [place, entry] of isBackwards ? entries.reverse() : entries) {
      if (!isAhead(query, envelope.offset, place)) continue;
      if (!meansEntry(query, envelope.id, entry)) continue;
      const message = await published.of(envelope);
      if (message === null || !matchesOrigin(message.event, entry.time, query)) return;
      const row = await published.row(message, entry, responseOf(envelope, entry));
      page.add(row, { at: 'journal', offset: envelope.offset, place });
      if (page.isFull) return;
    }
  }

  /** Where the journal may hold what is meant. */
  private async rangeOf(query: LogQuery, end: number): Promise<JournalQuery> {
    const { journal, attemptMsMax } = this.desk;
    const { fromDate, toDate, cursor } = query;
    const isBackwards = query.order === 'latestFirst';
    let from = await journal.offsetFor(fromDate ?? 0);
    let until = end;
    if (toDate !== null) {
      // An attempt is recorded when it ends, and its row says when it began.
      until = Math.min(until, await journal.offsetFor(toDate + attemptMsMax + timeSlackMs));
    }
    if (cursor?.at === 'running') until = Math.min(until, cursor.journalEnd);
    else if (cursor !== null && isBackwards) {
      // The event of the cursor is looked at again only if it has a row behind it.
      until = Math.min(until, cursor.place > 0 ? cursor.offset + 1 : cursor.offset);
    } else if (cursor !== null) {
      from = Math.max(from, cursor.place < entryPlaceMax ? cursor.offset : cursor.offset + 1);
    }
    return { terms: termsOf(query), from, until, order: isBackwards ? 'newest' : 'oldest' };
  }
}

/** Whether a row stands behind the cursor, in the order asked for. */
function isAhead({ cursor, order }: LogQuery, offset: number, place: number): boolean {
  if (cursor?.at !== 'journal') return true;
  const distance = offset - cursor.offset || place - cursor.place;
  return order === 'latestFirst' ? distance < 0 : distance > 0;
}

/** By start, then by id: an order that stays while attempts come and go. */
function inOrder(
  one: Pick<RunningAttempt, 'startedAt' | 'messageId'>,
  other: Pick<RunningAttempt, 'startedAt' | 'messageId'>,
): number {
  if (one.startedAt !== other.startedAt) return one.startedAt - other.startedAt;
  if (one.messageId === other.messageId) return 0;
  return one.messageId < other.messageId ? -1 : 1;
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

/** The response that an end tells of stands beside its event; a publish brings its own body. */
function responseOf(envelope: EventEnvelope<MessageEvent>, { end }: LogEntry): Buffer | null {
  return end === null ? null : envelope.body;
}
