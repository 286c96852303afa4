/** A long listing as JSON, made page by page as its client takes it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DamagedData } from '../../../storage/faults/storage-errors.js';
import { damageText } from '../failures.js';
import { type InFlight, pieceBytes, type ReadAllowance } from './in-flight.js';
import type { Piece } from './paced-body.js';

/** Some rows of a listing, in order. */
export interface ListingPage {
  readonly rows: readonly unknown[];
  /** Where the next ones begin; null = there are no more. */
  readonly cursor: string | null;
  /** It ends where it does only because its rows are long: others follow in the same answer. */
  readonly isLong: boolean;
  /** The search stopped at this time (Unix milliseconds) for what it had cost. */
  readonly searchedTo?: number;
  /** What could not be read for it. */
  readonly damages?: readonly DamagedData[];
}

/** An answer ends, with a cursor, behind the page that makes it this long. */
const listingBytesMax = 8 * pieceBytes;

/** One answer names so many places that could not be read at most. */
const damagesMax = 10;

const jsonType = 'application/json; charset=utf-8';

/**
 * Answers `{"<name>":[row,...]}`, with `"cursor"` behind the rows where more follow, and
 * `"searchedTo"` where the search was ended, and `"damaged"` where something could not be read.
 * `next` reads the page behind `cursor` (null: the first), of at most so many rows fewer than were
 * asked for.
 */
export function sendListing(
  inFlight: InFlight,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  next: (cursor: string | null, rowsSent: number) => Promise<ListingPage>,
): Promise<FastifyReply> {
  reply.header('content-type', jsonType);
  const pieces = new ListingPieces(name, next, inFlight.roomFor(request, reply));
  return inFlight.answer(request, reply, pieces, true);
}

/** What is made for a piece ends with it: an iterator that waits would hold it in its variables. */
class ListingPieces implements AsyncIterator<Piece, undefined> {
  private cursor: string | null = null;
  private rowsSent = 0;
  private length = 0;
  private start: string;
  private readonly damages: DamagedData[] = [];

  constructor(
    name: string,
    private readonly read: (cursor: string | null, rowsSent: number) => Promise<ListingPage>,
    private readonly room: ReadAllowance,
  ) {
    this.start = `{${JSON.stringify(name)}:[`;
  }

  async next(): Promise<IteratorYieldResult<Piece>> {
    await this.room.wait();
    const page = await this.read(this.cursor, this.rowsSent);
    // Row by row: a text of the whole page would be garbage of its length, twice.
    const chunks = this.start === '' ? [] : [Buffer.from(this.start)];
    this.start = '';
    for (const row of page.rows) {
      // A page that ends for its length may be followed by one that finds no more rows.
      const text = `${this.rowsSent > 0 ? ',' : ''}${JSON.stringify(row)}`;
      chunks.push(Buffer.from(text));
      this.rowsSent += 1;
      this.length += text.length;
    }
    const { cursor, damages = [] } = page;
    this.cursor = cursor;
    this.damages.push(...damages.slice(0, damagesMax - this.damages.length));
    const isLast = !page.isLong || cursor === null || this.length >= listingBytesMax;
    if (isLast) chunks.push(Buffer.from(endOf(page, damagedText(this.damages))));
    return { done: false, value: { chunks, isLast } };
  }
}

function endOf({ cursor, searchedTo }: ListingPage, damaged: string): string {
  if (cursor === null) return `]${damaged}}`;
  const stopped = searchedTo === undefined ? '' : `,"searchedTo":${searchedTo}`;
  return `],"cursor":${JSON.stringify(cursor)}${stopped}${damaged}}`;
}

/** `,"damaged":[...]`, or nothing. */
function damagedText(damages: readonly DamagedData[]): string {
  return damages.length === 0 ? '' : `,"damaged":${JSON.stringify(damagedPlaces(damages))}`;
}

/** Places as an answer names them. */
export function damagedPlaces(damages: readonly DamagedData[]): readonly { error: string }[] {
  const texts = new Set(damages.map(damageText));
  return [...texts].map((error) => ({ error }));
}

/** Texts of one JSON document, each made once there is room for it. */
export class TextPieces implements AsyncIterator<Piece, undefined> {
  constructor(
    private readonly texts: AsyncIterator<string>,
    private readonly room: ReadAllowance,
  ) {}

  async next(): Promise<IteratorYieldResult<Piece>> {
    await this.room.wait();
    let text = '';
    while (text.length < pieceBytes) {
      const next = await this.texts.next();
      if (next.done === true) return pieceOf(text, true);
      text += next.value;
    }
    return pieceOf(text, false);
  }
}

function pieceOf(text: string, isLast: boolean): IteratorYieldResult<Piece> {
  return { done: false, value: { chunks: [Buffer.from(text)], isLast } };
}
