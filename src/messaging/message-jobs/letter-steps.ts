/** How a job walks over letters, of messages or of runs: the oldest first, those of one moment. */

import type { LetterIndex, PlacedLetter } from '../dead-letters/letter-index.js';
import type { JobItem, JobRange, JobStep } from '../jobs/job-verbs.js';

/** Letters looked at per tick. */
const looksPerTick = 512;

/** What a walk over letters is about. */
export interface LetterWalk<Letter extends PlacedLetter> {
  readonly letters: Pick<LetterIndex<Letter>, 'all'>;
  /** null = any. */
  readonly dlqIds: readonly string[] | null;
  /** Unix milliseconds: letters that are too old by then are not there. */
  readonly now: number;
  matches(letter: Letter): Promise<boolean>;
  toItem(letter: Letter): JobItem;
}

/** Its places are those of the failures. What fails again meanwhile has a later one. */
export async function* letterSteps<Letter extends PlacedLetter>(
  { letters, dlqIds, now, matches, toItem }: LetterWalk<Letter>,
  { position, until }: JobRange,
): AsyncGenerator<JobStep> {
  const named = dlqIds === null ? null : new Set(dlqIds);
  for (const [index, letter] of letters.all(now).entries()) {
    if (index % looksPerTick === looksPerTick - 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { offset } = letter;
    if (offset >= until) return;
    if (position !== null && offset <= position) continue;
    const isMeant = (named === null || named.has(letter.id)) && (await matches(letter));
    yield { position: offset, item: isMeant ? toItem(letter) : null };
  }
}
