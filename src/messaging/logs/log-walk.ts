/**
 * Reads one page of a listing of logs. Rows are made from events of the journal on request
 * (messaging.md 9), and nothing is kept between two pages. All listings walk in the same way; they
 * differ in the rows that they make of an event.
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

/** The part of a query that limits the walk; dates are those of rows, Unix milliseconds. */
export interface WalkQuery {
  readonly fromDate: number | null;
  readonly toDate: number | null;
  readonly count: number;
  readonly order: 'latestFirst' | 'earliestFirst';
  readonly cursor: LogCursor | null;
  /** Checked during the walk: false ends it, because the client has gone. */
  readonly isWanted?: () => boolean;
}

/** A row, synchronously if all that it shows is at hand; null = it does not match. */
export type MadeRow<Row> = WeighedRow<Row> | null | Promise<WeighedRow<Row> | null>;

/** How a listing makes rows of events, for one page. */
export interface LogListing<Row> {
  /** Index terms (storage/README.md "Bytes"): a matching event has at least one of each list. */
  readonly terms: JournalQuery['terms'];
  /** Receives events shortly before their rows are requested: one event may refer to another. */
  meet?(envelopes: readonly EventEnvelope[]): void;
  /** The entries of an event, oldest first; at most `entryPlaceMax` + 1. */
  entriesOf(envelope: EventEnvelope): readonly LogEntry<string>[];
  rowOf(envelope: EventEnvelope, entry: LogEntry<string>): MadeRow<Row>;
  runningRowOf(attempt: RunningAttempt, entry: LogEntry): Promise<WeighedRow<Row> | null>;
  /** Whether no matching event can follow this one. */
  isLast(envelope: EventEnvelope): boolean;
}

/** The target that a walk fills: a page, or counts. */
export interface WalkTarget<Row> {
  readonly cost: WalkCost;
  /** The damage that the walk had to skip. */
  readonly damage: DamageNotes;
  add(row: WeighedRow<Row>, place: LogCursor): void;
  /** Ends the target where the search stopped, at an event of the time `time`. */
  interrupt(at: LogCursor, time: number): void;
  readonly isFull: boolean;
  /** How many more rows fit. */
  readonly rowsLeft: number;
}

/** A row with the cursor that points to it. */
interface PlacedRow<Row> {
  readonly row: WeighedRow<Row>;
  readonly place: LogCursor;
}

/** Rows wait for reads of their messages, so several are made at once. */
const rowsAhead: AheadOptions<readonly PlacedRow<unknown>[]> = {
  widthMax: 16,
  isLarge: (made) => made.some(({ row }) => row.characters > 256 * 1024),
};

/**
 * Tolerance between a timestamp and its position in the journal: the time of a commit, or a clock
 * that was set back a little.
 */
const timeSlackMs = 60_000;

/** The state at one moment: attempts that are not in the journal below `end` are in flight. */
interface Present {
  readonly running: readonly RunningAttempt[];
  readonly end: number;
}

/** Creates the listing for a query whose dates are filled in. */
type ListingOf<Query, Row> = (
  query: Query,
  spend: () => void,
  source: LogSource,
) => LogListing<Row> | Promise<LogListing<Row>>;

/**
 * Reads one page. A short page with a cursor holds what could be found within its budget; without a
 * cursor there are no more rows. Rows are in the order of their events, and the rows of attempts in
 * flight are newer than all others. `listingOf` receives the query with its dates filled in,
 * `spend`, which it calls for every event that it reads in addition to the walk, and the source to
 * read from.
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

/** Fills a page, or counts, with the rows that match a query. */
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

  /** The rows of an event that come after the cursor, in the order of the query. */
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

  /** Awaits a row; null also if something that it shows is damaged. */
  private async intact(row: Promise<WeighedRow<Row> | null>): Promise<WeighedRow<Row> | null> {
    try {
      return await row;
    } catch (error) {
      this.page.damage.note(error);
      return null;
    }
  }

  /** The journal offset at which a time begins; `otherwise` if damage prevents finding it. */
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

  /** The attempts in flight after the cursor, in the order of the query. */
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

  /** The row that says that an attempt began, whether it is in flight or has ended since. */
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

  /** The range of the journal that may hold matching events. */
  private async rangeOf(end: number): Promise<JournalQuery> {
    const { journal, attemptMsMax } = this.source;
    const { fromDate, toDate, cursor } = this.query;
    let from = await this.offsetFor(fromDate ?? 0, journal.startOffset);
    let until = end;
    if (toDate !== null) {
      // An attempt is recorded when it ends, but its row has the time when it began.
      const latest = toDate + attemptMsMax + timeSlackMs;
      until = Math.min(until, await this.offsetFor(latest, until));
    }
    if (cursor?.at === 'running') until = Math.min(until, cursor.journalEnd);
    else if (cursor !== null && this.isBackwards) {
      // The event of the cursor is read again only if it has a row after the cursor.
      until = Math.min(until, cursor.place > 0 ? cursor.offset + 1 : cursor.offset);
    } else if (cursor !== null) {
      from = Math.max(from, cursor.place < entryPlaceMax ? cursor.offset : cursor.offset + 1);
    }
    const { terms } = this.listing;
    return { terms, from, until, order: this.isBackwards ? 'newest' : 'oldest' };
  }

  /** Whether a row comes after the cursor, in the order of the query. */
  private isAhead(offset: number, place: number): boolean {
    const { cursor } = this.query;
    if (cursor?.at !== 'journal') return true;
    const distance = offset - cursor.offset || place - cursor.place;
    return this.isBackwards ? distance < 0 : distance > 0;
  }
}
