/**
 * Where a page of a listing ended, as clients carry it back. They need not know what it says, so
 * that it may say more one day: today the shard, and a place of its own for each listing. Pure.
 *
 *     cursor   the letters of the shard and the place, as base64url
 */
import { shardLetters } from '../engine/identifiers.js';
import { ok, type Result, refused } from '../grammar/result.js';
import { type FilterReader, text, whenGiven } from './query-filters.js';

const noCursor = 'is no cursor of this listing';

/** An offset in the journal, as a place. */
const offset = /^\d{1,15}$/;

/** The cursor that says `place`, which is ASCII. */
export function cursorAt(place: string | number): string {
  return Buffer.from(`${shardLetters}${place}`, 'latin1').toString('base64url');
}

/** What `parse` makes of the place that a cursor says; refused where it is not one of ours. */
export function readCursor<Place>(
  cursor: string,
  parse: (place: string) => Place | null,
): Result<Place> {
  const said = Buffer.from(cursor, 'base64url').toString('latin1');
  const place = said.slice(shardLetters.length);
  // What is no base64url is skipped when it is decoded: only the canonical text counts.
  const isOurs = said.startsWith(shardLetters) && cursorAt(place) === cursor;
  const parsed = isOurs ? parse(place) : null;
  return parsed === null ? refused(noCursor) : ok(parsed);
}

/** A listing's filter `cursor`; null = absent: the first page. */
export function cursorFilter<Place>(
  parse: (place: string) => Place | null,
): FilterReader<Place | null> {
  return whenGiven(text, (given) => readCursor(given, parse));
}

/** An offset in the journal; null = it is none. */
export function offsetPlace(place: string): number | null {
  return offset.test(place) ? Number(place) : null;
}
