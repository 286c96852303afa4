/** Walks over the letters of messages or of runs for a job: oldest first, those of one moment. */

import { setImmediate as nextTick } from 'node:timers/promises';
import type { LetterIndex, PlacedLetter } from '../dead-letters/letter-index.js';
import type { JobItem, JobRange, JobStep } from '../jobs/job-verbs.js';

/** How many letters are examined per tick. */
const itemsPerTick = 512;

/** The parameters of a walk over letters. */
export interface LetterWalk<Letter extends PlacedLetter> {
  readonly letters: Pick<LetterIndex<Letter>, 'all'>;
  /** null = any letter. */
  readonly dlqIds: readonly string[] | null;
  /** Unix milliseconds; letters that have expired by this time are skipped. */
  readonly now: number;
  matches(letter: Letter): Promise<boolean>;
  toItem(letter: Letter): JobItem;
}

/** Positions are the offsets of failures. A letter that fails again meanwhile gets a later one. */
export async function* letterSteps<Letter extends PlacedLetter>(
  { letters, dlqIds, now, matches, toItem }: LetterWalk<Letter>,
  { position, until }: JobRange,
): AsyncGenerator<JobStep> {
  const named = dlqIds === null ? null : new Set(dlqIds);
  for (const [index, letter] of letters.all(now).entries()) {
    if (index % itemsPerTick === itemsPerTick - 1) {
      await nextTick();
    }
    const { offset } = letter;
    if (offset >= until) return;
    if (position !== null && offset <= position) continue;
    const isSelected = (named === null || named.has(letter.id)) && (await matches(letter));
    yield { position: offset, item: isSelected ? toItem(letter) : null };
  }
}
