/** What every request about letters may name: letters, and where a page ended. Pure. */
import { ok } from '../../grammar/result.js';
import { cursorAt, cursorFilter } from '../../http/cursor.js';
import { names, whenGiven } from '../../http/query-filters.js';
import { markedLetterId } from '../messages/dead-letter-id.js';

const place = /^(\d{1,15})(?:-(\d{1,15}))?$/;

/** The ids of letters; null = absent. */
export const letterIds = whenGiven(names, (given) => ok(given.map(markedLetterId)));

/** Where the page before ended: letters by their offset in the journal. */
export interface LetterCursor {
  /** Of its last letter. */
  readonly offset: number;
  /** Of the last letter that the walk is about; null = there is no such bound. */
  readonly until: number | null;
}

/** The text that `letterCursor` reads. */
export function formatLetterCursor({ offset, until }: LetterCursor): string {
  return cursorAt(until === null ? offset : `${offset}-${until}`);
}

/** null = no page before. */
export const letterCursor = cursorFilter((text): LetterCursor | null => {
  const [, offset, until] = place.exec(text) ?? [];
  if (offset === undefined) return null;
  return { offset: Number(offset), until: until === undefined ? null : Number(until) };
});
