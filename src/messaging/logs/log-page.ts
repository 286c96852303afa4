/** A page of the logs while it is filled: its rows, its cost so far, and where it ends. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../engine/clock.js';
import type { DamagedData } from '../../engine/journal.js';
import { DamageNotes } from '../../engine/reading/damage-notes.js';
import { formatCursor, type LogCursor, parseCursor } from './log-cursor.js';
import { type WalkBudget, WalkCost } from './walk-cost.js';

/** A row with its size: the characters of the bodies that it shows. */
export interface WeighedRow<Row> {
  readonly row: Row;
  readonly characters: number;
}

/** A page as it is answered; a null cursor = there are no more rows. */
export interface LogPageContent<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
  /** The page ended because its rows are long: the next ones need no further search. */
  readonly isLong: boolean;
  /** The search stopped at this time (Unix milliseconds) because its budget was spent. */
  readonly searchedTo?: number;
  /** Events that could not be read because they are damaged; absent = none. */
  readonly damages?: readonly DamagedData[];
}

/** Limit for bodies and responses on one page, in characters; more go to the next page. */
const shownCharactersMax = 1024 * 1024;

/** Created for one request. A page is limited by its rows, its text, and the work it may cost. */
export class LogPage<Row> {
  readonly cost: WalkCost;
  readonly damage = new DamageNotes();
  private readonly rows: Row[] = [];
  private last: LogCursor | null = null;
  private cursor: LogCursor | null = null;
  private searchedTo: number | null = null;
  private charactersLeft = shownCharactersMax;

  constructor(
    private readonly count: number,
    clock: Clock,
    budget: WalkBudget,
  ) {
    this.cost = new WalkCost(clock, budget);
  }

  /** Adds a row. A row beyond the limit is left for the next page and makes this one full. */
  add({ row, characters }: WeighedRow<Row>, place: LogCursor): void {
    if (this.rows.length >= this.count || (this.charactersLeft <= 0 && this.rows.length > 0)) {
      this.cursor = this.last;
      return;
    }
    this.rows.push(row);
    this.last = place;
    this.charactersLeft -= characters;
  }

  /** Ends the page where the search stopped, at an event of the time `time`. */
  interrupt(at: LogCursor, time: number): void {
    this.cursor = at;
    this.searchedTo = time;
  }

  /** How many more rows fit on the page. */
  get rowsLeft(): number {
    return this.count - this.rows.length;
  }

  /** Whether the page is full, so that another page follows. */
  get isFull(): boolean {
    return this.cursor !== null;
  }

  /** The content of the page; the cursor is null if no page follows. */
  get content(): LogPageContent<Row> {
    const { rows, cursor, charactersLeft, count } = this;
    const isLong = cursor !== null && charactersLeft <= 0 && rows.length < count;
    const damages = this.damage.all;
    return {
      rows,
      cursor: cursor === null ? null : formatCursor(cursor),
      isLong,
      ...(this.searchedTo !== null && { searchedTo: this.searchedTo }),
      ...(damages.length > 0 && { damages }),
    };
  }
}

/**
 * Reads the pages of one answer until they hold as many rows as the query asks for or its client
 * has gone: see `sendListing`.
 */
export function pagesOf<
  Query extends { readonly count: number; readonly cursor: LogCursor | null },
>(
  request: Query,
  { socket }: Pick<IncomingMessage, 'socket'>,
  read: (query: Query & { readonly isWanted: () => boolean }) => Promise<LogPageContent<unknown>>,
): (cursor: string | null, rowsSent: number) => Promise<LogPageContent<unknown>> {
  const isWanted = () => !socket.destroyed;
  return (text, rowsSent) => {
    const parsed = text === null ? null : parseCursor(text);
    const cursor = parsed?.ok === true ? parsed.value : request.cursor;
    return read({ ...request, cursor, count: request.count - rowsSent, isWanted });
  };
}
