/** Formats rows as a table for a terminal. */
import type { Paint } from './style.js';
import { safeLine } from './visible.js';
import { cutTo, paddedTo, widthOf } from './width.js';

/** One column of a table; `text` may be coloured. */
export interface TableColumn<Row> {
  readonly title: string;
  readonly text: (row: Row, paint: Paint) => string;
  readonly isRight?: boolean;
  /**
   * Whether the column may be shortened if the table is wider than the terminal; the widest such
   * column is shortened first.
   */
  readonly yields?: boolean;
  /** For the last column only: its text may wrap to the next line of the terminal. */
  readonly wraps?: boolean;
}

const gap = '  ';
const yieldingWidthMin = 12;

/**
 * The lines of a table, titles first; `width` is that of the terminal in columns. If the columns do
 * not fit, each row is shown as several lines instead: ids and names are never cut, as people copy
 * them.
 */
export function tableLines<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  paint: Paint,
  width: number,
): string[] {
  const cells = rows.map((row) => columns.map(({ text }) => safeLine(text(row, paint))));
  const widths = fitted(columns, cells, width);
  if (widths === null) return cells.flatMap((row) => recordLines(columns, row, paint));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => filled(text, widths[index] ?? 0, columns[index]))
      .join(gap)
      .trimEnd();
  const titles = line(columns.map(({ title }) => title.toUpperCase()));
  return [paint('dim', titles), ...cells.map(line)];
}

/** The width of each column; null if the columns do not fit beside each other. */
function fitted<Row>(
  columns: readonly TableColumn<Row>[],
  cells: readonly (readonly string[])[],
  width: number,
): number[] | null {
  const widths = columns.map(({ title, wraps }, index) =>
    Math.max(
      widthOf(title),
      ...(wraps === true ? [] : cells.map((row) => widthOf(row[index] ?? ''))),
    ),
  );
  let tooMuch = widths.reduce((sum, one) => sum + one + gap.length, -gap.length) - width;
  const yielding = columns.flatMap(({ yields }, index) => (yields === true ? [index] : []));
  while (tooMuch > 0) {
    const [longest, next] = [...yielding].sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
    const room = longest === undefined ? 0 : (widths[longest] ?? 0);
    if (longest === undefined || room <= yieldingWidthMin) return null;
    // Shortens columns of equal width in turn.
    const floor = Math.max(yieldingWidthMin, Math.min(room - 1, widths[next ?? -1] ?? 0));
    const given = Math.min(tooMuch, room - floor);
    widths[longest] = room - given;
    tooMuch -= given;
  }
  return widths;
}

/** One line for each non-empty column, then an empty line. */
function recordLines<Row>(
  columns: readonly TableColumn<Row>[],
  texts: readonly string[],
  paint: Paint,
): string[] {
  const titleWidth = Math.max(...columns.map(({ title }) => widthOf(title)));
  const lines = columns.flatMap(({ title }, index) => {
    const text = texts[index] ?? '';
    return text === ''
      ? []
      : [`${paint('dim', title.toUpperCase().padEnd(titleWidth))}${gap}${text}`];
  });
  return [...lines, ''];
}

function filled<Row>(text: string, width: number, column: TableColumn<Row> | undefined): string {
  const room = width - widthOf(text);
  if (room < 0 && column?.wraps !== true) return paddedTo(cutTo(text, width), width);
  const spaces = ' '.repeat(Math.max(0, room));
  return column?.isRight === true ? `${spaces}${text}` : `${text}${spaces}`;
}
