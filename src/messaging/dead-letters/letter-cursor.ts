/** Where a page of letters ended, as it is written and read. Pure. */
import { cursorAt, cursorFilter } from '../../http/cursor.js';

const place = /^(\d{1,15})(?:-(\d{1,15}))?$/;

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
