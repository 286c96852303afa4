/**
 * An append to the table as one protocol exchange. The usual query of the client would copy the
 * bytes into a message of its own and ask for a description of the result; here the bytes go to the
 * socket without a copy.
 */
import type { Client, Connection, Submittable } from 'pg';

/** The parameters of an append. */
export interface Append {
  readonly shard: string;
  readonly place: number;
  readonly bytes: Buffer;
}

/** A statement with the parameters `shard`, `place` and `bytes`; it returns a number, or no row. */
export interface AppendStatement {
  /** The name under which a connection prepares the statement. */
  readonly name: string;
  readonly text: string;
}

/** The name of the one statement that each connection has prepared. */
const prepared = new WeakMap<Connection, string>();

/**
 * Executes an append. Resolves with the number in the returned row, or null if there is no row.
 * Rejects like a query.
 */
export function appendedRow(
  client: Client,
  statement: AppendStatement,
  append: Append,
): Promise<number | null> {
  return new Promise((resolve, reject) => {
    client.query(new Exchange(statement, append, resolve, reject));
  });
}

/** Implements the interface that the client expects of everything it sends. */
class Exchange implements Submittable {
  private found: number | null = null;

  constructor(
    private readonly statement: AppendStatement,
    private readonly append: Append,
    private readonly done: (found: number | null) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  submit(connection: Connection): void {
    const { stream } = connection;
    const { bytes } = this.append;
    stream.cork();
    this.prepare(connection);
    stream.write(bindHead(this.statement.name, this.append));
    stream.write(bytes);
    stream.write(bindEnd);
    stream.uncork();
  }

  handleDataRow({ fields: [value] }: { readonly fields: readonly (string | null)[] }): void {
    this.found = value == null ? null : Number(value);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.done(this.found);
  }

  handleError(error: unknown): void {
    this.failed(error);
  }

  /**
   * Prepares the statement once for each connection. A connection is discarded when an append
   * fails.
   */
  private prepare(connection: Connection): void {
    const { name, text } = this.statement;
    if (prepared.get(connection) === name) return;
    prepared.set(connection, name);
    connection.parse({ name, text, types: parameterTypes }, false);
  }
}

/** `text`, `int8` and `bytea`, by their numbers in `pg_type`. */
const parameterTypes = ['25', '20', '17'];

/*
  Bind =>
    kind               'B'
    length             INT32    of all that follows, itself included
    portal             text, 0  the unnamed one
    statement          text, 0
    parameterFormats   [count INT16, format INT16]     one for all: 1, binary
    parameters         [count INT16, [length INT32, bytes]]
    resultFormats      count INT16                     0: all are text

  Execute => 'E', INT32 9, portal (text, 0), rows INT32 (0: all). Sync => 'S', INT32 4.
  All big endian (PostgreSQL's manual, "Message Formats").
*/

/** The part of a `Bind` message before `bytes`, which are its last parameter. */
function bindHead(statement: string, { shard, place, bytes }: Append): Buffer {
  const [nameBytes, shardBytes] = [Buffer.byteLength(statement), Buffer.byteLength(shard)];
  const head = Buffer.allocUnsafe(fixedHeadBytes + nameBytes + shardBytes);
  head.write('B', 0);
  head.writeInt32BE(head.length - 1 + bytes.length + resultFormats.length, 1);
  head.writeUInt8(0, 5);
  let at = 6 + head.write(statement, 6);
  at = head.writeUInt8(0, at);
  for (const number of [1, binary, 3]) at = head.writeInt16BE(number, at);
  at = head.writeInt32BE(shardBytes, at);
  at += head.write(shard, at);
  at = head.writeInt32BE(8, at);
  at = head.writeBigInt64BE(BigInt(place), at);
  head.writeInt32BE(bytes.length, at);
  return head;
}

const binary = 1;
/** Kind, length, two string terminators, three numbers, three lengths and a place. */
const fixedHeadBytes = 1 + 4 + 2 + 6 + 12 + 8;
const resultFormats = Buffer.from([0, 0]);
const execute = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const sync = Buffer.from([0x53, 0, 0, 0, 4]);
const bindEnd = Buffer.concat([resultFormats, execute, sync]);
