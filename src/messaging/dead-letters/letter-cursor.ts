/** Where a page of letters ended, as it is written and read. Pure. */
import { ok, type Result, refused } from '../../grammar/result.js';
import { type FilterReader, text } from '../../http/query-filters.js';

const place = /^\d{1,15}-(\d{1,15})(?:-(\d{1,15}))?$/;

/** Where the page before ended: letters by their offset in the journal. */
export interface LetterCursor {
  /** Of its last letter. */
  readonly offset: number;
  /** Of the last letter that the walk is about; null = there is no such bound. */
  readonly until: number | null;
}

/** The dlqId of a page's last letter, perhaps with the walk's bound; null = no page before. */
export const letterCursor: FilterReader<LetterCursor | null> = (values) => {
  const given = text(values);
  if (!given.ok || given.value === null) return given as Result<null>;
  const [, offset, until] = place.exec(given.value) ?? [];
  if (offset === undefined) return refused('is no cursor of this listing');
  return ok({ offset: Number(offset), until: until === undefined ? null : Number(until) });
};
