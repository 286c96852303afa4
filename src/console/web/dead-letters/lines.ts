/** Reads a list as lines of JSON, up to a bound. */

/** One page of the list; a page without a cursor is the last one. */
export interface LinePage {
  readonly rows: readonly { readonly whole: object }[];
  readonly cursor?: string | undefined;
  /** What the server could not read, and the rows lack. */
  readonly damaged?: readonly unknown[] | undefined;
}

/** What may be kept; the page that exceeds it is kept, too. */
export interface LinesMax {
  readonly lines: number;
  readonly characters: number;
}

/** The lines. */
export interface ReadLines {
  readonly lines: string[];
  /** Whether there are more. */
  readonly isCut: boolean;
  /** Whether some are missing because the server could not read them. */
  readonly isDamaged: boolean;
}

/** Calls `progress` after each page with the number of lines so far. */
export async function linesUpTo(
  max: LinesMax,
  load: (cursor: string | undefined) => Promise<LinePage>,
  progress: (lines: number) => void,
): Promise<ReadLines> {
  const lines: string[] = [];
  let characters = 0;
  let isDamaged = false;
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    cursor = page.cursor;
    isDamaged ||= (page.damaged ?? []).length > 0;
    for (const { whole } of page.rows) {
      const line = `${JSON.stringify(whole)}\n`;
      lines.push(line);
      characters += line.length;
    }
    progress(lines.length);
  } while (cursor !== undefined && lines.length < max.lines && characters < max.characters);
  return { lines, isCut: cursor !== undefined, isDamaged };
}
