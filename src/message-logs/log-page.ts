/** A page of the logs while it is filled: what is on it, what it has cost, where it ends. */
import type { Clock } from '../engine/clock.js';
import { formatCursor, type LogCursor } from './log-cursor.js';
import type { WeighedRow } from './log-walk.js';

/** A page as it is answered; no cursor = there is no more. */
export interface LogPageContent<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/** Bodies and responses on one page, in characters: a thousand rows of 10 MB are not one answer. */
const shownCharactersMax = 8 * 1024 * 1024;

export class LogPage<Row> {
  private readonly rows: Row[] = [];
  private readonly startedAt: number;
  private last: LogCursor | null = null;
  private cursor: LogCursor | null = null;
  private eventsLeft: number;
  private charactersLeft = shownCharactersMax;

  constructor(
    private readonly count: number,
    private readonly clock: Clock,
    private readonly budget: { readonly events: number; readonly milliseconds: number },
  ) {
    this.startedAt = clock.monotonic();
    this.eventsLeft = budget.events;
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

  /** An event was read for this page. */
  spend(): void {
    this.eventsLeft -= 1;
  }

  /** Whether the page has cost what a page may cost. */
  get isSpent(): boolean {
    const { budget, clock, startedAt } = this;
    return this.eventsLeft <= 0 || clock.monotonic() - startedAt >= budget.milliseconds;
  }

  /** Ends the page where the search stopped. */
  interrupt(at: LogCursor): void {
    this.cursor = at;
  }

  /** Whether the next page goes on. */
  get isFull(): boolean {
    return this.cursor !== null;
  }

  get content(): LogPageContent<Row> {
    return { rows: this.rows, cursor: this.cursor === null ? null : formatCursor(this.cursor) };
  }
}
