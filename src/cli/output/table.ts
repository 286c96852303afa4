/** Rows in columns, for a terminal. */
import { type Paint, widthOf } from './style.js';
import { safeLine } from './visible.js';

/** One column of a table; `text` may be coloured. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row, paint: Paint) => string;
  readonly isRight?: boolean;
  /** The column is cut where the table is wider than the terminal; at most one has it. */
  readonly yields?: boolean;
}

const gap = '  ';
const yieldingWidthMin = 12;

/** The lines of a table, titles first; `width` is that of the terminal in columns. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  paint: Paint,
  width: number,
): string[] {
  const cells = rows.map((row) => columns.map(({ text }) => safeLine(text(row, paint))));
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  const tooMuch = widths.reduce((sum, one) => sum + one + gap.length, -gap.length) - width;
  const yielding = columns.findIndex(({ yields }) => yields === true);
  if (tooMuch > 0 && yielding !== -1) {
    widths[yielding] = Math.max(yieldingWidthMin, (widths[yielding] ?? 0) - tooMuch);
  }
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => filled(text, widths[index] ?? 0, columns[index]?.isRight === true))
      .join(gap)
      .trimEnd();
  const titles = line(columns.map(({ title }) => title.toUpperCase()));
  return [paint('dim', titles), ...cells.map(line)];
}

function filled(text: string, width: number, isRight: boolean): string {
  const room = width - widthOf(text);
  if (room < 0) return `${[...text].slice(0, width - 1).join('')}…`;
  return isRight ? `${' '.repeat(room)}${text}` : `${text}${' '.repeat(room)}`;
}
