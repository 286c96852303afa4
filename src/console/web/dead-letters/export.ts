/** All dead letters that pass the filters, as a file of one JSON object in a line. */
import { saveFile } from '../bodies/save.ts';
import type { ChosenFilters } from '../parts/filter-bar.tsx';
import { kindOf } from './dead-letter-filters.ts';
import { loadLetters } from './letters.ts';

/** A browser holds the file before it is saved: above so many letters it is cut. */
const lettersMax = 20_000;

/** How far it is; `isCut` where there were more than fit. */
export interface Exported {
  readonly letters: number;
  readonly isCut: boolean;
}

/** Saves the file, and tells `progress` after each page how many it holds. */
export async function exportLetters(
  filters: ChosenFilters,
  progress: (letters: number) => void,
): Promise<Exported> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await loadLetters(filters, cursor);
    cursor = page.cursor;
    for (const { whole } of page.rows) lines.push(`${JSON.stringify(whole)}\n`);
    progress(lines.length);
  } while (cursor !== undefined && lines.length < lettersMax);
  saveFile(new Blob(lines, { type: 'application/jsonl' }), `dead-letters-${kindOf(filters)}.jsonl`);
  return { letters: lines.length, isCut: cursor !== undefined };
}
