/**
 * One page of a listing of logs: rows are made of the journal's events when a request comes
 * (messaging.md 9), and nothing is held between two pages. Every listing is walked alike; they
 * differ in what they make of an event.
 */

import type { EventEnvelope } from '../../engine/decider.js';
import type { JournalQuery } from '../../engine/journal.js';
import { type AheadOptions, mappedAhead } from '../../engine/read-ahead.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import { inWindows } from '../../engine/reading/event-windows.js';
import type { LogCursor } from './log-cursor.js';
import { activeEntry, entryPlaceMax, type LogEntry } from './log-entry.js';
import type { WeighedRow } from './log-page.js';
import { LogPage, type LogPageContent } from './log-page.js';
import {
  type AttemptEndedSince,
  aroundDamage,
  endedSince,
  inRowOrder,
  type LogSource,
  type RunningAttempt,
} from './log-source.js';
import type { WalkCost } from './walk-cost.js';

/** What of a query says where the walk looks; dates are those of rows, Unix milliseconds. */
export interface WalkQuery {
  readonly fromDate: number | null;
  readonly toDate: number | null;
  readonly count: number;
  readonly order: 'latestFirst' | 'earliestFirst';
  readonly cursor: LogCursor | null;
  /** Asked on the way: false ends the walk, where the client has gone. */
  readonly isWanted?: () => boolean;
}

/** A row at once, where all that it shows is at hand; null = it is not meant. */
export type MadeRow<Row> = WeighedRow<Row> | null | Promise<WeighedRow<Row> | null>;

/** What a listing makes of what happened, for one page. */
export interface LogListing<Row> {
  /** Index terms (storage/README.md "Bytes"): what is meant has one of each list at least. */
  readonly terms: JournalQuery['terms'];
  /** Is given events a moment before their rows are asked for: one may be about another. */
  meet?(envelopes: readonly EventEnvelope[]): void;
  /** What an event says, oldest first; at most `entryPlaceMax` + 1 entries. */
  entriesOf(envelope: EventEnvelope): readonly LogEntry<string>[];
  rowOf(envelope: EventEnvelope, entry: LogEntry<string>): MadeRow<Row>;
  runningRowOf(attempt: RunningAttempt, entry: LogEntry): Promise<WeighedRow<Row> | null>;
  /** Whether nothing that is meant can stand behind this event. */
  isLast(envelope: EventEnvelope): boolean;
}

/** What a walk fills: a page, or counts. */
export interface WalkTarget<Row> {
  readonly cost: WalkCost;
  /** What the walk had to pass over. */
  readonly damage: DamageNotes;
  add(row: WeighedRow<Row>, place: LogCursor): void;
  /** Ends it where the search stopped, at what happened at `time`. */
  interrupt(at: LogCursor, time: number): void;
  readonly isFull: boolean;
  /** So many more fit. */
  readonly rowsLeft: number;
}

/** A row with the cursor that stands behind it. */
interface PlacedRow<Row> {
  readonly row: WeighedRow<Row>;
  readonly place: LogCursor;
}

/** Rows wait for what has to be read back of their messages: several are made at once. */
const rowsAhead: AheadOptions<readonly PlacedRow<unknown>[]> = {
  widthMax: 16,
  isLarge: (made) => made.some(({ row }) => row.characters > 256 * 1024),
};

/** Between a timestamp and its place in the journal: a commit, a clock that was set back a bit. */
const timeSlackMs = 60_000;

/** The present, in one moment: what is not in the journal below `end` is running. */
interface Present {
  readonly running: readonly RunningAttempt[];
  readonly end: number;
}

/** Makes the listing of a query whose dates are filled in. */
type ListingOf<Query, Row> = (
  query: Query,
  spend: () => void,
  source: LogSource,
) => LogListing<Row> | Promise<LogListing<Row>>;

/**
 * One page. A short one with a cursor is what could be found at the cost that a page may have;
 * without a cursor there is no more. Rows have the order of their events, and the rows of attempts
 * in flight are newer than all others. `listingOf` is given the query with its dates filled in,
 * `spend`, which it calls for every event that it reads beside the walk, and what to read from.
 */
export async function logPage<Query extends WalkQuery, Row>(
  source: LogSource,
  request: Query,
  listingOf: ListingOf<Query, Row>,
): Promise<LogPageContent<Row>> {
  const page = new LogPage<Row>(request.count, source.clock, source.budget);
  await fill(source, request, page, listingOf);
  return page.content;
}

/** Fills a page, or counts, with what a query means. */
export async function fill<Query extends WalkQuery, Row>(
  whole: LogSource,
  request: Query,
  page: WalkTarget<Row>,
  listingOf: ListingOf<Query, Row>,
): Promise<void> {
  const source = aroundDamage(whole, page.damage);
  const { journal, running, clock, retentionMs } = source;
  const present = await source.shown<Present>(() => ({
    running: running(),
    end: journal.endOffset,
  }));
  const oldest = clock.now() - retentionMs;
  const query = { ...request, fromDate: Math.max(request.fromDate ?? 0, oldest) };
  const listing = await listingOf(query, () => page.cost.spend(), source);
  const walk = new LogWalk(source, query, page, listing);
  const parts = [() => walk.addRunning(present), () => walk.addRecorded(present)];
  for (const part of query.order === 'latestFirst' ? parts : parts.reverse()) {
    if (!page.isFull) await part();
  }
}

class LogWalk<Row> {
  private readonly isBackwards: boolean;

  constructor(
    private readonly source: LogSource,
    private readonly query: WalkQuery,
    private readonly page: WalkTarget<Row>,
    private readonly listing: LogListing<Row>,
  ) {
    this.isBackwards = query.order === 'latestFirst';
  }

  async addRunning(present: Present): Promise<void> {
    const { isBackwards, page } = this;
    const { cursor } = this.query;
    if (isBackwards && cursor?.at === 'journal') return;
    const journalEnd = cursor?.at === 'running' ? cursor.journalEnd : present.end;
    const make = async (attempt: RunningAttempt | AttemptEndedSince): Promise<PlacedRow<Row>[]> => {
      const { startedAt, messageId } = attempt;
      const row = await this.intact(this.activeRowOf(attempt));
      const place = { at: 'running', startedAt, messageId, journalEnd } as const;
      return row === null ? [] : [{ row, place }];
    };
    for await (const made of mappedAhead(await this.attemptsAhead(present), make, rowsAhead)) {
      this.add(made);
      if (page.isFull) return;
    }
  }

  async addRecorded(present: Present): Promise<void> {
    const { isBackwards, page, listing } = this;
    if (!isBackwards && this.query.cursor?.at === 'running') return;
    const events = this.source.journal.query(await this.rangeOf(present.end));
    const make = async (envelope: EventEnvelope) => ({ envelope, made: await this.rows(envelope) });
    const isLarge = ({ made }: { made: PlacedRow<Row>[] }) => rowsAhead.isLarge(made);
    const met = inWindows(
      events,
      () => page.rowsLeft,
      (window) => listing.meet?.(window),
    );
    for await (const { envelope, made } of mappedAhead(met, make, { ...rowsAhead, isLarge })) {
      page.cost.spend();
      this.add(made);
      if (page.isFull || listing.isLast(envelope) || this.query.isWanted?.() === false) return;
      if (page.cost.isSpent) {
        const place = isBackwards ? 0 : entryPlaceMax;
        page.interrupt({ at: 'journal', offset: envelope.offset, place }, envelope.at);
        return;
      }
    }
  }

  /** The rows of an event that stand behind the cursor, in the order of the query. */
  private async rows(envelope: EventEnvelope): Promise<PlacedRow<Row>[]> {
    const { offset } = envelope;
    const made: PlacedRow<Row>[] = [];
    const entries = [...this.listing.entriesOf(envelope).entries()];
    for (const [place, entry] of this.isBackwards ? entries.reverse() : entries) {
      if (!this.isAhead(offset, place)) continue;
      const found = this.listing.rowOf(envelope, entry);
      const row = found instanceof Promise ? await this.intact(found) : found;
      if (row !== null) made.push({ row, place: { at: 'journal', offset, place } });
    }
    return made;
  }

  /** null also where something that the row shows is damaged. */
  private async intact(row: Promise<WeighedRow<Row> | null>): Promise<WeighedRow<Row> | null> {
    try {
      return await row;
    } catch (error) {
      this.page.damage.note(error);
      return null;
    }
  }

  /** Where a time begins; `otherwise` where damage lies in the way of finding that. */
  private async offsetFor(time: number, otherwise: number): Promise<number> {
    try {
      return await this.source.journal.offsetFor(time);
    } catch (error) {
      this.page.damage.note(error);
      return otherwise;
    }
  }

  private add(made: readonly PlacedRow<Row>[]): void {
    for (const { row, place } of made) {
      this.page.add(row, place);
      if (this.page.isFull) return;
    }
  }

  /** The attempts of the running part behind the cursor, in the order of the query. */
  private async attemptsAhead({
    running,
    end,
  }: Present): Promise<(RunningAttempt | AttemptEndedSince)[]> {
    const { isBackwards, listing, source } = this;
    const { cursor } = this.query;
    if (cursor?.at !== 'running') return inRowOrder(running, null, isBackwards);
    const { journal } = source;
    const ended = await endedSince({ journal, end }, listing, cursor, isBackwards);
    return inRowOrder([...running, ...ended], cursor, isBackwards);
  }

  /** That the attempt began, whether it runs or has ended since. */
  private async activeRowOf(
    attempt: RunningAttempt | AttemptEndedSince,
  ): Promise<WeighedRow<Row> | null> {
    const { listing, source } = this;
    if (!('endOffset' in attempt)) {
      return listing.runningRowOf(attempt, activeEntry(attempt.startedAt, attempt.attempt));
    }
    const envelope = await source.journal.read(attempt.endOffset);
    const began = envelope && listing.entriesOf(envelope).find(({ state }) => state === 'ACTIVE');
    return began ? listing.rowOf(envelope, began) : null;
  }

  /** Where the journal may hold what is meant. */
  private async rangeOf(end: number): Promise<JournalQuery> {
    const { journal, attemptMsMax } = this.source;
    const { fromDate, toDate, cursor } = this.query;
    let from = await this.offsetFor(fromDate ?? 0, journal.startOffset);
    let until = end;
    if (toDate !== null) {
      // An attempt is recorded when it ends, and its row says when it began.
      const latest = toDate + attemptMsMax + timeSlackMs;
      until = Math.min(until, await this.offsetFor(latest, until));
    }
    if (cursor?.at === 'running') until = Math.min(until, cursor.journalEnd);
    else if (cursor !== null && this.isBackwards) {
      // The event of the cursor is looked at again only if it has a row behind it.
      until = Math.min(until, cursor.place > 0 ? cursor.offset + 1 : cursor.offset);
    } else if (cursor !== null) {
      from = Math.max(from, cursor.place < entryPlaceMax ? cursor.offset : cursor.offset + 1);
    }
    const { terms } = this.listing;
    return { terms, from, until, order: this.isBackwards ? 'newest' : 'oldest' };
  }

  /** Whether a row stands behind the cursor, in the order of the query. */
  private isAhead(offset: number, place: number): boolean {
    const { cursor } = this.query;
    if (cursor?.at !== 'journal') return true;
    const distance = offset - cursor.offset || place - cursor.place;
    return this.isBackwards ? distance < 0 : distance > 0;
  }
}
