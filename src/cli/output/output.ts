/** How a client command prints its results: for people on a terminal, as JSON anywhere else. */
import { readClientEnvironment } from '../connect/client-environment.js';
import { coloured, type Paint, plain } from './style.js';
import { type TableColumn, tableLines } from './table.js';
import { sayPainted } from './terminal.js';

/** The option that decides this. */
export interface OutputOptions {
  readonly json?: boolean;
}

/** A terminal gets tables and sentences; a pipe gets one JSON value a line (NDJSON). */
export class Output {
  readonly isJson: boolean;
  readonly paint: Paint;
  /** The width of the terminal in columns. */
  readonly width: number;

  constructor(
    options: OutputOptions,
    stream: { readonly isTTY?: boolean; readonly columns?: number } = process.stdout,
    allowsColour: boolean = readClientEnvironment().allowsColour,
  ) {
    const isTerminal = stream.isTTY === true;
    this.isJson = options.json ?? !isTerminal;
    this.paint = isTerminal && allowsColour ? coloured : plain;
    this.width = stream.columns ?? 120;
  }

  /**
   * Prints rows of one kind, or `none` if there are none. On a terminal, rows are read in parts
   * before they are shown, as the width of a column depends on its contents.
   */
  async rows<Row>(
    rows: AsyncIterable<Row> | Iterable<Row>,
    columns: readonly TableColumn<Row>[],
    none: string,
  ): Promise<void> {
    if (this.isJson) {
      await sayPainted(jsonLines(rows));
      return;
    }
    let isFirst = true;
    for await (const part of parts(rows)) {
      await sayPainted(tableLines(columns, part, this.paint, this.width));
      isFirst = false;
    }
    if (isFirst) await sayPainted([none]);
  }

  /**
   * Prints one item, or the result of an action. `lines` is called only if people read the output.
   */
  async one(value: unknown, lines: () => Iterable<string>): Promise<void> {
    await sayPainted(this.isJson ? [JSON.stringify(value)] : lines());
  }

  /** Prints items as they arrive. */
  async stream<Row>(rows: AsyncIterable<Row>, line: (row: Row) => string): Promise<void> {
    await sayPainted(this.isJson ? jsonLines(rows) : linesOf(rows, line));
  }
}

const rowsOfPart = 1000;

async function* parts<Row>(rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<Row[]> {
  let part: Row[] = [];
  try {
    for await (const row of rows) {
      part.push(row);
      if (part.length < rowsOfPart) continue;
      yield part;
      part = [];
    }
  } catch (error) {
    // Show what was read before the error is reported.
    if (part.length > 0) yield part;
    throw error;
  }
  if (part.length > 0) yield part;
}

async function* jsonLines(
  rows: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string> {
  for await (const row of rows) yield JSON.stringify(row);
}

async function* linesOf<Row>(
  rows: AsyncIterable<Row>,
  line: (row: Row) => string,
): AsyncGenerator<string> {
  for await (const row of rows) yield line(row);
}
