/** Filters of every request about letters: ids, and the position of a page. Pure. */
import { ok } from '../../grammar/result.js';
import { cursorAt, cursorFilter } from '../../http/cursor.js';
import { names, texts, whenGiven } from '../../http/query-filters.js';
import { errorClass } from '../dead-letter-errors/error-class.policy.js';
import { markedLetterId } from '../messages/dead-letter-id.js';

const place = /^(\d{1,15})(?:-(\d{1,15}))?$/;

/** The ids of letters; null = absent. */
export const letterIds = whenGiven(names, (given) => ok(given.map(markedLetterId)));

/** The errors of letters, as groups show them or as they were; null = absent. */
export const letterErrors = whenGiven(texts, (given) => ok(given.map(errorClass)));

/** Where the previous page ended; letters are identified by their journal offset. */
export interface LetterCursor {
  /** Offset of the last letter of that page. */
  readonly offset: number;
  /** Offset of the last letter that the walk covers; null = no such bound. */
  readonly until: number | null;
}

/** Formats a cursor that `letterCursor` reads. */
export function formatLetterCursor({ offset, until }: LetterCursor): string {
  return cursorAt(until === null ? offset : `${offset}-${until}`);
}

/** null = there is no previous page. */
export const letterCursor = cursorFilter((text): LetterCursor | null => {
  const [, offset, until] = place.exec(text) ?? [];
  if (offset === undefined) return null;
  return { offset: Number(offset), until: until === undefined ? null : Number(until) };
});
