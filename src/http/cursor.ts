/**
 * Where a page of a listing ended, as text that clients send back. It is opaque to them, so that
 * more can be added: today it holds the shard, and a position that each listing defines. Pure.
 *
 *     cursor   the letters of the shard and the place, as base64url
 */
import { shardLetters } from '../engine/identifiers.js';
import { ok, type Result, refused } from '../grammar/result.js';
import { type FilterReader, text, whenGiven } from './query-filters.js';

const noCursor = 'is not a cursor of this listing';

/** A journal offset as a position. */
const offset = /^\d{1,15}$/;

/** The cursor for `place`, which must be ASCII. */
export function cursorAt(place: string | number): string {
  return Buffer.from(`${shardLetters}${place}`, 'latin1').toString('base64url');
}

/** Reads a cursor: what `parse` makes of its position; refused if it is not one of this server. */
export function readCursor<Place>(
  cursor: string,
  parse: (place: string) => Place | null,
): Result<Place> {
  const said = Buffer.from(cursor, 'base64url').toString('latin1');
  const place = said.slice(shardLetters.length);
  // Decoding skips characters outside base64url, so only the canonical text is accepted.
  const isOurs = said.startsWith(shardLetters) && cursorAt(place) === cursor;
  const parsed = isOurs ? parse(place) : null;
  return parsed === null ? refused(noCursor) : ok(parsed);
}

/** The filter `cursor` of a listing; null = absent: the first page. */
export function cursorFilter<Place>(
  parse: (place: string) => Place | null,
): FilterReader<Place | null> {
  return whenGiven(text, (given) => readCursor(given, parse));
}

/** Parses a position that is a journal offset; null = it is none. */
export function offsetPlace(place: string): number | null {
  return offset.test(place) ? Number(place) : null;
}
