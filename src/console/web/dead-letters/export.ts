/** Exports all dead letters that match the filters, as a file with one JSON object per line. */
import { saveFile } from '../bodies/save.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { kindOf } from './dead-letter-filters.ts';
import { loadLetters } from './letters.ts';

/**
 * The browser holds the file in memory before it is saved, so it is cut at this many letters, or
 * characters: a body may have megabytes.
 */
const lettersMax = 20_000;
const charactersMax = 256 * 1024 * 1024;

/** The result; `isCut` if there were more letters than fit. */
export interface Exported {
  readonly letters: number;
  readonly isCut: boolean;
}

/** Saves the file; calls `progress` after each page with the number of letters so far. */
export async function exportLetters(
  filters: ChosenFilters,
  progress: (letters: number) => void,
): Promise<Exported> {
  const lines: string[] = [];
  let characters = 0;
  let cursor: string | undefined;
  do {
    const page = await loadLetters(filters, cursor);
    cursor = page.cursor;
    for (const { whole } of page.rows) {
      const line = `${JSON.stringify(whole)}\n`;
      lines.push(line);
      characters += line.length;
    }
    progress(lines.length);
  } while (cursor !== undefined && lines.length < lettersMax && characters < charactersMax);
  saveFile(new Blob(lines, { type: 'application/jsonl' }), `dead-letters-${kindOf(filters)}.jsonl`);
  return { letters: lines.length, isCut: cursor !== undefined };
}
