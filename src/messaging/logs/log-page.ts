/** A page of the logs while it is filled: what is on it, what it has cost, where it ends. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../engine/clock.js';
import type { DamagedData } from '../../engine/journal.js';
import { DamageNotes } from '../../engine/reading/damage-notes.js';
import { formatCursor, type LogCursor, parseCursor } from './log-cursor.js';
import { type WalkBudget, WalkCost } from './walk-cost.js';

/** A row with what it weighs: the characters of the bodies that it shows. */
export interface WeighedRow<Row> {
  readonly row: Row;
  readonly characters: number;
}

/** A page as it is answered; no cursor = there is no more. */
export interface LogPageContent<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
  /** It ends where it does because its rows are long: the next ones cost no search. */
  readonly isLong: boolean;
  /** The search stopped at this time (Unix milliseconds) for what it had cost. */
  readonly searchedTo?: number;
  /** What could not be looked at, because it is damaged; absent: all could. */
  readonly damages?: readonly DamagedData[];
}

/** Bodies and responses on one page, in characters: what follows is another one. */
const shownCharactersMax = 1024 * 1024;

/** Made for one request. A page ends by its rows, its text, or the work that it may cost. */
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

  /** Puts a row on the page; the one too many is left for the next page and makes this one full. */
  add({ row, characters }: WeighedRow<Row>, place: LogCursor): void {
    if (this.rows.length >= this.count || (this.charactersLeft <= 0 && this.rows.length > 0)) {
      this.cursor = this.last;
      return;
    }
    this.rows.push(row);
    this.last = place;
    this.charactersLeft -= characters;
  }

  /** Ends the page where the search stopped, at what happened at `time`. */
  interrupt(at: LogCursor, time: number): void {
    this.cursor = at;
    this.searchedTo = time;
  }

  /** How many more rows the page takes. */
  get rowsLeft(): number {
    return this.count - this.rows.length;
  }

  /** Whether the next page goes on. */
  get isFull(): boolean {
    return this.cursor !== null;
  }

  /** What there is; the cursor is null where no page follows. */
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
 * Reads the pages of one answer, together as long as the query says and its client is there: see
 * `sendListing`.
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
