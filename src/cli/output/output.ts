/** How a client command shows what it has got: for people on a terminal, as JSON anywhere else. */
import { readClientEnvironment } from '../connect/client-environment.js';
import { coloured, type Paint, plain } from './style.js';
import { type TableColumn, tableLines } from './table.js';
import { sayPainted } from './terminal.js';

/** The option that decides it. */
export interface OutputOptions {
  readonly json?: boolean;
}

/** A terminal gets tables and sentences, a pipe one JSON value a line (NDJSON). */
export class Output {
  readonly isJson: boolean;
  readonly paint: Paint;
  /** Columns of the terminal. */
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
   * Many of one kind. `none` is said where there are none. On a terminal so many are read before
   * they are shown, as columns are as wide as what stands in them.
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

  /** One thing, or what has become of an action. `lines` are made only where people read. */
  async one(value: unknown, lines: () => Iterable<string>): Promise<void> {
    await sayPainted(this.isJson ? [JSON.stringify(value)] : lines());
  }

  /** Things as they come. */
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
    // What was read before is shown before that is said.
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
