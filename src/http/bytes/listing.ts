/** Sends a long listing as JSON, made page by page as the client takes it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DamagedData } from '../../../storage/faults/storage-errors.js';
import { damageText } from '../failures.js';
import { type InFlight, pieceBytes, type ReadAllowance } from './in-flight.js';
import type { Piece } from './paced-body.js';

/** Some rows of a listing, in order. */
export interface ListingPage {
  readonly rows: readonly unknown[];
  /** Where the next rows begin; null = there are no more. */
  readonly cursor: string | null;
  /** The page ended only because its rows are long: others follow in the same answer. */
  readonly isLong: boolean;
  /** The search stopped at this time (Unix milliseconds) because its budget was spent. */
  readonly searchedTo?: number;
  /** The damage that prevented some reads. */
  readonly damages?: readonly DamagedData[];
}

/** An answer ends, with a cursor, after the page with which it reaches this length. */
const listingBytesMax = 8 * pieceBytes;

/** The most damaged places that one answer names. */
const damagesMax = 10;

const jsonType = 'application/json; charset=utf-8';

/**
 * Answers `{"<name>":[row,...]}`, followed by `"cursor"` if there are more rows, `"searchedTo"` if
 * the search was cut short, and `"damaged"` if something could not be read. `next` reads the page
 * after `cursor` (null = the first one), with at most as many rows as were requested minus
 * `rowsSent`.
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

/** Not a generator: one that waits would hold the last piece in its variables. */
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
    // Encoded row by row: a text of the whole page would be garbage of its length, twice.
    const chunks = this.start === '' ? [] : [Buffer.from(this.start)];
    this.start = '';
    for (const row of page.rows) {
      // A page that ended for its length may be followed by one without rows.
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

/** The damaged places, as an answer names them. */
export function damagedPlaces(damages: readonly DamagedData[]): readonly { error: string }[] {
  const texts = new Set(damages.map(damageText));
  return [...texts].map((error) => ({ error }));
}

/** The texts of one JSON document, each made once there is room for it. */
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
