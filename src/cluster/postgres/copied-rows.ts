/**
 * Rows as bytes. What a query brings passes through the client as text, a `bytea` in hexadecimal
 * digits; a `copy` is passed on as it comes (ADR 78).
 */
import type { Client, Connection, Submittable } from 'pg';

/** By column; null stands for no value. */
export type CopiedRow = readonly (Buffer | undefined)[];

/** The rows of `text`, a `copy (...) to stdout (format binary)`. Rejects as a query does. */
export function copiedRows(client: Client, text: string): Promise<CopiedRow[]> {
  const copied = new Promise<Buffer>((resolve, reject) => {
    client.query(new Copy(text, resolve, reject));
  });
  return copied.then(rowsIn);
}

/** What the client asks of all that it is given to send. */
class Copy implements Submittable {
  private readonly chunks: Buffer[] = [];

  constructor(
    private readonly text: string,
    private readonly done: (bytes: Buffer) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  submit(connection: Connection): void {
    connection.query(this.text);
  }

  /** The client uses the buffer again. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.chunks.push(Buffer.from(chunk));
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.done(Buffer.concat(this.chunks));
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

function rowsIn(bytes: Buffer): CopiedRow[] {
  const rows: CopiedRow[] = [];
  let position = headerLength + bytes.readUInt32BE(extensionLengthAt);
  for (;;) {
    const fieldCount = bytes.readInt16BE(position);
    position += 2;
    if (fieldCount < 0) return rows;
    const row: (Buffer | undefined)[] = [];
    for (let field = 0; field < fieldCount; field += 1) {
      const length = bytes.readInt32BE(position);
      position += 4;
      row.push(length < 0 ? undefined : bytes.subarray(position, position + length));
      position += Math.max(length, 0);
    }
    rows.push(row);
  }
}
