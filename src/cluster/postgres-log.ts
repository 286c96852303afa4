/**
 * The shared log in a table of PostgreSQL (ADR 65). Its primary key compares places, so two writers
 * cannot have the same one. What it acknowledges was flushed by the server and by the standby that
 * it names (`synchronous_standby_names`); where it names none, by the server alone.
 */
import { Socket } from 'node:net';
import type { Client } from 'pg';
import type { AppendOutcome, CommitLog, ReadEntries } from './commit-log.js';

/** Where the log is. */
export interface PostgresLogOptions {
  /**
   * `postgres://user:password@host:port/database` of each server, of which the one that takes
   * writes is used.
   */
  readonly urls: readonly string[];
  /** Which log of the table. */
  readonly shard: string;
  /** Called with what an append or a read has failed for; the log goes on. */
  readonly onError?: (error: unknown) => void;
}

const connectMs = 2000;

/** Entries and bytes of one read; an entry has 900 KiB at most. */
const entriesPerRead = 1024;
const bytesPerRead = 8 * 1024 * 1024;

const table = `create table if not exists stepwell_log (
  shard text not null,
  place bigint not null,
  at bigint not null,
  bytes bytea not null,
  primary key (shard, place)
)`;

/** The last row stays when others are trimmed: it says where the next one goes. */
const insert = `insert into stepwell_log (shard, place, at, bytes)
  select $1, $2::bigint, greatest(floor(extract(epoch from clock_timestamp()) * 1000), last.at), $3
  from (
    select coalesce(max(place), -1) as place, coalesce(max(at), 0) as at from (
      select place, at from stepwell_log where shard = $1 order by place desc limit 1
    ) as newest
  ) as last
  where last.place + 1 = $2::bigint
  returning at`;

const bounds = `select
  (select place from stepwell_log where shard = $1 order by place limit 1) as first,
  (select place from stepwell_log where shard = $1 order by place desc limit 1) as last`;

const select = `select place, at, bytes from (
    select place, at, bytes, sum(octet_length(bytes)) over (order by place) as total from (
      select place, at, bytes from stepwell_log
      where shard = $1 and place >= $2::bigint order by place limit ${entriesPerRead}
    ) as following
  ) as counted
  where place = $2::bigint or total <= ${bytesPerRead} order by place`;

const remove = `delete from stepwell_log where shard = $1 and place < $2::bigint
  and place < (select max(place) from stepwell_log where shard = $1)`;

/** SQLSTATE of the errors that are handled here. */
const duplicateKey = '23505';
const duplicateTable = '42P07';

/**
 * A wait for the standby was cancelled: the row is committed on the server and may be lost with it.
 * PostgreSQL says it by this warning alone.
 */
const waitCancelled = '01000';

/** A connection, and whether what it did last is known to be on the standby. */
interface Connection {
  readonly client: Client;
  readonly socket: Socket;
  isWaitCancelled: boolean;
}

export class PostgresLog implements CommitLog {
  /** Reads have one of their own: an append may wait for a standby that is away. */
  private readonly writing: Connections;
  private readonly reading: Connections;
  /** What the append under way goes through. */
  private appending: Promise<Connection> | null = null;

  constructor(private readonly options: PostgresLogOptions) {
    this.writing = new Connections(options.urls);
    this.reading = new Connections(options.urls);
  }

  /** One at a time: an earlier one that has not ended is given up, with its connection. */
  async append(expected: number, bytes: Buffer): Promise<AppendOutcome> {
    if (this.appending !== null) this.writing.discard(this.appending);
    const opening = this.writing.open();
    this.appending = opening;
    try {
      return await this.insert(await opening, expected, bytes);
    } catch (error) {
      if (codeOf(error) === duplicateKey) return { kind: 'refused' };
      this.writing.discard(opening);
      this.options.onError?.(error);
      return { kind: 'unknown' };
    } finally {
      // One that was given up ends after the next one has begun.
      if (this.appending === opening) this.appending = null;
    }
  }

  async read(from: number): Promise<ReadEntries> {
    const { start, end } = await this.bounds();
    const { rows } = await this.query(select, [this.options.shard, from]);
    const entries = rows.map(({ place, at, bytes }) => ({
      place: Number(place),
      at: Number(at),
      bytes: bytes as Buffer,
    }));
    return { start, end, entries };
  }

  async end(): Promise<number> {
    return (await this.bounds()).end;
  }

  /** The newest entry stays. */
  async trim(before: number): Promise<void> {
    await this.query(remove, [this.options.shard, before]);
  }

  async close(): Promise<void> {
    this.writing.drop();
    this.reading.drop();
  }

  private async insert(
    connection: Connection,
    expected: number,
    bytes: Buffer,
  ): Promise<AppendOutcome> {
    connection.isWaitCancelled = false;
    const { shard } = this.options;
    const { rows } = await connection.client.query(insert, [shard, expected, bytes]);
    if (connection.isWaitCancelled) return { kind: 'unknown' };
    const [row] = rows;
    if (row === undefined) return { kind: 'refused' };
    return { kind: 'stored', place: expected, at: Number(row.at) };
  }

  private async bounds(): Promise<{ readonly start: number; readonly end: number }> {
    const { rows } = await this.query(bounds, [this.options.shard]);
    const { first, last } = rows[0] ?? {};
    return { start: Number(first ?? 0), end: last === null ? 0 : Number(last) + 1 };
  }

  private async query(text: string, values: readonly unknown[]) {
    const opening = this.reading.open();
    try {
      const { client } = await opening;
      return await client.query<Record<string, unknown>>(text, [...values]);
    } catch (error) {
      this.reading.discard(opening);
      this.options.onError?.(error);
      throw error;
    }
  }
}

/** One connection to the server that takes writes, made again where it is lost. */
class Connections {
  private current: Promise<Connection> | null = null;

  constructor(private readonly urls: readonly string[]) {}

  open(): Promise<Connection> {
    const opening = this.current ?? this.connect();
    this.current = opening;
    opening.catch(() => {
      if (this.current === opening) this.current = null;
    });
    return opening;
  }

  /** Closes what there is at once, whatever it is doing. */
  drop(): void {
    if (this.current !== null) this.discard(this.current);
  }

  /** Closes one at once; another one that was opened since stays. */
  discard(opening: Promise<Connection>): void {
    if (this.current === opening) this.current = null;
    opening.then(({ socket }) => socket.destroy()).catch(() => undefined);
  }

  private async connect(): Promise<Connection> {
    const reasons: unknown[] = [];
    for (const url of this.urls) {
      try {
        return await this.connectTo(url);
      } catch (error) {
        reasons.push(error);
      }
    }
    throw new AggregateError(reasons, 'no server of PostgreSQL takes writes');
  }

  private async connectTo(connectionString: string): Promise<Connection> {
    // Loaded only where it is asked for.
    const { default: pg } = await import('pg');
    const socket = new Socket();
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: connectMs,
      stream: () => socket,
    });
    const connection: Connection = { client, socket, isWaitCancelled: false };
    client.on('notice', ({ code }) => {
      if (code === waitCancelled) connection.isWaitCancelled = true;
    });
    // A query that waits rejects by itself; a connection that does nothing is made again.
    client.on('error', () => {
      if (this.current !== null) this.drop();
    });
    try {
      await client.connect();
      const { rows } = await client.query('select pg_is_in_recovery() as follows');
      if (rows[0]?.follows === true) throw new Error('the server follows another one');
      await client.query('set synchronous_commit = on');
      await client.query(table).catch((error: unknown) => {
        // Another node makes it at the same moment.
        if (codeOf(error) !== duplicateKey && codeOf(error) !== duplicateTable) throw error;
      });
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
