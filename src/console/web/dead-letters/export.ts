/** Exports all dead letters that match the filters, as a file with one JSON object per line. */
import { saveFile } from '../bodies/save.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { kindOf } from './dead-letter-filters.ts';
import { loadLetters } from './letters.ts';
import { linesUpTo } from './lines.ts';

/**
 * The browser holds the file in memory before it is saved, so it is cut at this many letters, or
 * characters: a body may have megabytes.
 */
const exportMax = { lines: 20_000, characters: 256 * 1024 * 1024 };

/** The result. */
export interface Exported {
  readonly letters: number;
  /** Whether there were more letters than fit. */
  readonly isCut: boolean;
  /** Whether some are missing because the server could not read them. */
  readonly isDamaged: boolean;
}

/** Saves the file; calls `progress` after each page with the number of letters so far. */
export async function exportLetters(
  filters: ChosenFilters,
  progress: (letters: number) => void,
): Promise<Exported> {
  const load = (cursor: string | undefined) => loadLetters(filters, cursor);
  const { lines, ...others } = await linesUpTo(exportMax, load, progress);
  saveFile(new Blob(lines, { type: 'application/jsonl' }), `dead-letters-${kindOf(filters)}.jsonl`);
  return { letters: lines.length, ...others };
}
