/** A page of the journal as lines of JSON, made piece by piece as its client takes it. */

import type { EventEnvelope } from '../../engine/decider.js';
import type { DamageNotes } from '../../engine/reading/damage-notes.js';
import { pieceBytes, type ReadAllowance } from '../../http/bytes/in-flight.js';
import { damagedPlaces } from '../../http/bytes/listing.js';
import type { Piece } from '../../http/bytes/paced-body.js';
import { cursorAt } from '../../http/cursor.js';

/** Events that are looked at for one answer: what is meant may be rare. */
const looksMax = 100_000;

/** What a look at the journal has found at an offset; null = an event that is not meant. */
export interface Looked {
  readonly offset: number;
  readonly meant: EventEnvelope | null;
}

/** How a page is made. */
export interface PageTerms {
  readonly count: number;
  /** What could not be read for it. */
  readonly damage: DamageNotes;
  /** An event as its line. */
  lineOf(envelope: EventEnvelope): Promise<string>;
  /** Where the next page begins that ends behind an offset. */
  cursorBehind(offset: number): number;
}

/**
 * One line for each event that is meant, and a last one, `{"cursor":"..."}`, where there is more to
 * look at: behind so many events, or when enough was looked at. It has `"damaged"` as listings do,
 * where something could not be read.
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
      const { offset, meant } = next.value;
      this.looks += 1;
      if (meant !== null) {
        const line = Buffer.from(`${await terms.lineOf(meant)}\n`);
        chunks.push(line);
        length += line.length;
        this.sent += 1;
      }
      if (this.sent < terms.count && this.looks < looksMax) continue;
      return this.end(chunks, { cursor: cursorAt(terms.cursorBehind(offset)) });
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
