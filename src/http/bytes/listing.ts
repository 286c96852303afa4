/** A long listing as JSON, made page by page as its client takes it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type InFlight, pieceBytes, type ReadAllowance } from './in-flight.js';
import type { Piece } from './paced-body.js';

/** Some rows of a listing, in order. */
export interface ListingPage {
  readonly rows: readonly unknown[];
  /** Where the next ones begin; null = there are no more. */
  readonly cursor: string | null;
  /** It ends where it does only because its rows are long: others follow in the same answer. */
  readonly isLong: boolean;
}

/** An answer ends, with a cursor, behind the page that makes it this long. */
const listingBytesMax = 8 * pieceBytes;

const jsonType = 'application/json; charset=utf-8';

/**
 * Answers `{"<name>":[row,...]}`, with `"cursor"` behind the rows where more follow. `next` reads
 * the page behind `cursor` (null: the first), of at most so many rows fewer than were asked for.
 */
export function sendListing(
  inFlight: InFlight,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  next: (cursor: string | null, rowsSent: number) => Promise<ListingPage>,
): Promise<FastifyReply> {
  reply.header('content-type', jsonType);
  const pieces = listingPieces(name, next, inFlight.roomFor(request, reply));
  return inFlight.answer(request, reply, pieces);
}

async function* listingPieces(
  name: string,
  next: (cursor: string | null, rowsSent: number) => Promise<ListingPage>,
  room: ReadAllowance,
): AsyncGenerator<Piece> {
  let cursor: string | null = null;
  let rowsSent = 0;
  let length = 0;
  let start = `{${JSON.stringify(name)}:[`;
  for (let isLast = false; !isLast; ) {
    await room.wait();
    const page: ListingPage = await next(cursor, rowsSent);
    // Row by row: a text of the whole page would be garbage of its length, twice.
    const chunks = start === '' ? [] : [Buffer.from(start)];
    for (const row of page.rows) {
      // A page that ends for its length may be followed by one that finds no more rows.
      const text = `${rowsSent > 0 ? ',' : ''}${JSON.stringify(row)}`;
      chunks.push(Buffer.from(text));
      rowsSent += 1;
      length += text.length;
    }
    cursor = page.cursor;
    isLast = !page.isLong || cursor === null || length >= listingBytesMax;
    const end = cursor === null ? ']}' : `],"cursor":${JSON.stringify(cursor)}}`;
    if (isLast) chunks.push(Buffer.from(end));
    yield { chunks, isLast };
    start = '';
  }
}

/** Texts of one JSON document, each made once there is room for it. */
export async function* textPieces(
  texts: AsyncIterator<string>,
  room: ReadAllowance,
): AsyncGenerator<Piece> {
  for (let isLast = false; !isLast; ) {
    await room.wait();
    let text = '';
    while (!isLast && text.length < pieceBytes) {
      const next = await texts.next();
      if (next.done === true) isLast = true;
      else text += next.value;
    }
    yield { chunks: [Buffer.from(text)], isLast };
  }
}
