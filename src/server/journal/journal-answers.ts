/** A page of the journal as lines of JSON, produced piece by piece as the client reads it. */

import type { EventEnvelope } from '../../engine/decider.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import { pieceBytes, type ReadAllowance } from '../../http/bytes/in-flight.js';
import { damagedPlaces } from '../../http/bytes/listing.js';
import type { Piece } from '../../http/bytes/paced-body.js';
import { cursorAt } from '../../http/cursor.js';

/** How many events are examined for one answer: matching events may be rare. */
const examinedMax = 100_000;

/** The result of examining an offset; `selected` is null if the event does not match. */
export interface Looked {
  readonly offset: number;
  readonly selected: EventEnvelope | null;
}

/** What is needed to produce a page. */
export interface PageTerms {
  readonly count: number;
  /** What could not be read for the page. */
  readonly damage: DamageNotes;
  /** Formats an event as its line. */
  lineOf(envelope: EventEnvelope): Promise<string>;
  /** Where the next page begins if this one ends after `offset`. */
  cursorAfter(offset: number): number;
}

/**
 * One line for each matching event. If there is more to examine, after `count` events or after the
 * limit of examined events, a last line is `{"cursor":"..."}`. If something could not be read, that
 * line has `"damaged"`, as listings do.
 */
export class JournalPieces implements AsyncIterator<Piece, undefined> {
  private sent = 0;
  private looks = 0;

  constructor(
    private readonly looked: AsyncIterator<Looked>,
    private readonly terms: PageTerms,
    private readonly room: ReadAllowance,
  ) {}

  async next(): Promise<IteratorYieldResult<Piece>> {
    const { looked, terms } = this;
    await this.room.wait();
    const chunks: Buffer[] = [];
    for (let length = 0; length < pieceBytes; ) {
      const next = await looked.next();
      if (next.done === true) return this.end(chunks, {});
      const { offset, selected } = next.value;
      this.looks += 1;
      if (selected !== null) {
        const line = Buffer.from(`${await terms.lineOf(selected)}\n`);
        chunks.push(line);
        length += line.length;
        this.sent += 1;
      }
      if (this.sent < terms.count && this.looks < examinedMax) continue;
      return this.end(chunks, { cursor: cursorAt(terms.cursorAfter(offset)) });
    }
    return pieceOf(chunks, false);
  }

  private end(chunks: Buffer[], more: { readonly cursor?: string }): IteratorYieldResult<Piece> {
    const { all } = this.terms.damage;
    const last = { ...more, ...(all.length > 0 && { damaged: damagedPlaces(all) }) };
    if (Object.keys(last).length > 0) chunks.push(Buffer.from(`${JSON.stringify(last)}\n`));
    return pieceOf(chunks, true);
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.looked.return?.();
    return { done: true, value: undefined };
  }
}

function pieceOf(chunks: Buffer[], isLast: boolean): IteratorYieldResult<Piece> {
  return { done: false, value: { chunks, isLast } };
}
