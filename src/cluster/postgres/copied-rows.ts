/**
 * Reads rows as bytes. The client decodes the result of a query as text, a `bytea` as hexadecimal
 * digits; it passes on the data of a `copy` unchanged (ADR 78).
 */
import type { Client, Connection, Submittable } from 'pg';

/** The values by column; undefined stands for null. */
export type CopiedRow = readonly (Buffer | undefined)[];

/**
 * Runs `text`, a `copy (...) to stdout (format binary)`, and returns its rows. Rejects like a
 * query.
 */
export function copiedRows(client: Client, text: string): Promise<CopiedRow[]> {
  return new Promise((resolve, reject) => {
    client.query(new Copy(text, resolve, reject));
  });
}

/** Implements the interface that the client expects of everything it sends. */
class Copy implements Submittable {
  private readonly rows: CopiedRow[] = [];
  private isBegun = false;
  private failure: unknown = null;

  constructor(
    private readonly text: string,
    private readonly done: (rows: CopiedRow[]) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  submit(connection: Connection): void {
    connection.query(this.text);
  }

  /** Takes a row, or the end marker; the header precedes the first row in the same chunk. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    try {
      // A copy, because the client reuses the buffer.
      const bytes = Buffer.from(chunk);
      const start = this.isBegun ? 0 : headerLength + bytes.readUInt32BE(extensionLengthAt);
      this.isBegun = true;
      this.rows.push(...rowsIn(bytes, start));
    } catch (error) {
      this.failure ??= error;
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    if (this.failure === null) this.done(this.rows);
    else this.failed(this.failure);
  }

  handleError(error: unknown): void {
    this.failed(error);
  }
}

/*
  Copy =>
    signature        11 bytes
    flags            UINT32
    extensionLength  UINT32
    extension        bytes
    rows             [fieldCount INT16, [length INT32 (-1 for null), bytes]]
    end              INT16    -1

  All big endian (PostgreSQL's manual, COPY, "Binary Format").
*/
const extensionLengthAt = 15;
const headerLength = 19;

function rowsIn(bytes: Buffer, start: number): CopiedRow[] {
  const rows: CopiedRow[] = [];
  for (let position = start; position < bytes.length; ) {
    const fieldCount = bytes.readInt16BE(position);
    position += 2;
    if (fieldCount < 0) break;
    const row: (Buffer | undefined)[] = [];
    for (let field = 0; field < fieldCount; field += 1) {
      const length = bytes.readInt32BE(position);
      position += 4;
      row.push(length < 0 ? undefined : bytes.subarray(position, position + length));
      position += Math.max(length, 0);
    }
    rows.push(row);
  }
  return rows;
}
