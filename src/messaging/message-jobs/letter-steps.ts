/** Walks over the letters of messages or of runs for a job: oldest first, those of one moment. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../engine/clock.js';
import { ok, type Result } from '../../grammar/result.js';
import type { LetterIndex, PlacedLetter } from '../dead-letters/letter-index.js';
import type { JobItem, JobSteps } from '../jobs/job-verbs.js';

/** How many letters are examined per tick. */
const itemsPerTick = 512;

/** Among the filters of every job over letters, as parsed. */
interface ById {
  /** null = any letter. */
  readonly dlqIds: readonly string[] | null;
}

/** The letters that a job searches; those that have expired when it begins are skipped. */
export interface SearchedLetters<Letter extends PlacedLetter, Filters extends ById> {
  readonly letters: Pick<LetterIndex<Letter>, 'all'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Checks the filters other than ids. */
  readonly matching: { matches(letter: Letter, filters: Filters): Promise<boolean> };
}

/**
 * The steps over the letters that the filters select; refused if the filters are. Positions are the
 * offsets of failures. A letter that fails again meanwhile gets a later one.
 */
export function letterSteps<Letter extends PlacedLetter, Filters extends ById>(
  { letters, clock, matching }: SearchedLetters<Letter, Filters>,
  selected: Result<Filters>,
  toItem: (letter: Letter) => JobItem,
): Result<JobSteps> {
  if (!selected.ok) return selected;
  const { value: filters } = selected;
  const named = filters.dlqIds === null ? null : new Set(filters.dlqIds);
  return ok(async function* ({ position, until }) {
    for (const [index, letter] of letters.all(clock.now()).entries()) {
      if (index % itemsPerTick === itemsPerTick - 1) await nextTick();
      const { id, offset } = letter;
      if (offset >= until) return;
      if (position !== null && offset <= position) continue;
      const mayMatch = named === null || named.has(id);
      const isSelected = mayMatch && (await matching.matches(letter, filters));
      yield { position: offset, item: isSelected ? toItem(letter) : null };
    }
  });
}
