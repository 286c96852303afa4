/**
 * The shared log in a PostgreSQL table (ADR 65). The primary key compares places, so two writers
 * cannot get the same place. An acknowledged entry was flushed by the server and by the standby
 * that it names (`synchronous_standby_names`), or by the server alone if it names none.
 */
import { systemClock } from '../../engine/clock.js';
import type { AppendOutcome, CommitLog, ReadEntries } from '../commit-log.js';
import { type AppendStatement, appendedRow } from './appended-row.js';
import {
  answered,
  codeOf,
  duplicateKey,
  type PostgresConnection,
  PostgresConnections,
} from './connections.js';
import { copiedRows } from './copied-rows.js';

/** Where the log is, and who is notified of errors. */
export interface PostgresLogOptions {
  /**
   * `postgres://user:password@host:port/database` of each server; the one that accepts writes is
   * used.
   */
  readonly urls: readonly string[];
  /** Which log in the table; one table can hold several. */
  readonly shard: string;
  /** Called with the error of a failed append or read; the log keeps working. */
  readonly onError?: (error: unknown) => void;
}

/** The most entries and bytes of one read; an entry has at most 900 KiB. */
const entriesPerRead = 1024;
const bytesPerRead = 8 * 1024 * 1024;

/** The server's time in Unix milliseconds; unlike `now()` it advances within a transaction. */
const clock = 'floor(extract(epoch from clock_timestamp()) * 1000)';

/** Needs the last row, which trimming therefore keeps: it determines the next place. */
const insertText = `insert into stepwell_log (shard, place, at, bytes)
  select $1, $2::bigint, greatest(${clock}, last.at), $3
  from (
    select coalesce(max(place), -1) as place, coalesce(max(at), 0) as at from (
      select place, at from stepwell_log where shard = $1 order by place desc limit 1
    ) as newest
  ) as last
  where last.place + 1 = $2::bigint
  returning at`;

const insert: AppendStatement = { name: 'stepwell_append', text: insertText };

const bounds = `select ${clock} as now,
  (select place from stepwell_log where shard = $1 order by place limit 1) as first,
  (select place from stepwell_log where shard = $1 order by place desc limit 1) as last`;

/** A `copy` takes no parameters, so `shard` must be quoted as a literal. */
const copy = (shard: string, from: number) => `copy (select place, at, bytes from (
    select place, at, bytes, sum(octet_length(bytes)) over (order by place) as total from (
      select place, at, bytes from stepwell_log
      where shard = ${shard} and place >= ${from} order by place limit ${entriesPerRead}
    ) as following
  ) as counted
  where place = ${from} or total <= ${bytesPerRead} order by place) to stdout (format binary)`;

/** Does not wait for the standby, because entries that stay longer do no harm. */
const remove = (shard: string, before: number) => `begin; set local synchronous_commit = local;
  delete from stepwell_log where shard = ${shard} and place < ${before}
    and place < (select max(place) from stepwell_log where shard = ${shard});
  commit`;

/** How often a read that waits for a standby checks whether another server was promoted. */
const lookMs = 3000;

const commitOfNothing = "select pg_logical_emit_message(true, 'stepwell', '')";

/** An append in flight, and the connection that it uses. */
interface Appending {
  readonly opening: Promise<PostgresConnection>;
  /** Whether some of the append may have reached the server. */
  isSent: boolean;
}

/** The statements have names, so that the server plans each of them once per connection. */
export class PostgresLog implements CommitLog {
  /** Appends and reads use separate connections: an append may wait for a standby that is down. */
  private readonly writing: PostgresConnections;
  private readonly reading: PostgresConnections;
  /** Removing many entries takes long, and neither reads nor appends may wait for it. */
  private readonly trimming: PostgresConnections;
  private appending: Appending | null = null;
  /** The highest place at which an append may still add a row that the standby does not have. */
  private doubt: number | null = null;
  /** The connection whose rows were already proven to be on the standby. */
  private proven: PostgresConnection | null = null;

  constructor(private readonly options: PostgresLogOptions) {
    this.writing = new PostgresConnections(options.urls);
    this.reading = new PostgresConnections(options.urls);
    this.trimming = new PostgresConnections(options.urls);
  }

  /**
   * Appends one entry at a time: an earlier append that has not ended is given up, with its
   * connection. A connection that is still being opened is kept for the next append: it may wait
   * for a server that does not answer, for longer than an append is waited for.
   */
  async append(expected: number, bytes: Buffer): Promise<AppendOutcome> {
    if (this.appending?.isSent === true) {
      this.writing.discard(this.appending.opening);
      this.noteDoubt(expected);
    }
    const opening = this.writing.open();
    const own: Appending = { opening, isSent: false };
    this.appending = own;
    try {
      const connection = await opening;
      // This append was given up meanwhile: its bytes may have been overwritten.
      if (this.appending !== own) return { kind: 'unknown' };
      requireNewest(connection, this.reading);
      own.isSent = true;
      return await this.insert(connection, expected, bytes);
    } catch (error) {
      if (codeOf(error) === duplicateKey) return { kind: 'refused' };
      this.writing.discard(opening);
      this.noteDoubt(expected);
      this.options.onError?.(error);
      return { kind: 'unknown' };
    } finally {
      // An append that was given up ends only after the next one has begun.
      if (this.appending === own) this.appending = null;
    }
  }

  /**
   * A row can be visible before the standby has it; then the read waits for the standby (`prove`).
   */
  async read(from: number): Promise<ReadEntries> {
    const { shard } = this.options;
    return this.reads(async (connection) => {
      const { found, rows } = await answered(connection, async (client) => ({
        found: await boundsOf(client, shard),
        rows: await copiedRows(client, copy(client.escapeLiteral(shard), from)),
      }));
      await this.prove(connection, found.end);
      const entries = rows.map(([place, at, bytes = noBytes]) => ({
        place: numberIn(place),
        at: numberIn(at),
        bytes,
      }));
      return { ...found, entries };
    });
  }

  async end(): Promise<number> {
    const { end } = await this.reads((connection) =>
      answered(connection, (client) => boundsOf(client, this.options.shard)),
    );
    return end;
  }

  /** Deletes the entries before a place, but always keeps the newest entry. */
  async trim(before: number): Promise<void> {
    try {
      const { client } = await this.trimming.open();
      await client.query(remove(client.escapeLiteral(this.options.shard), before));
    } finally {
      this.trimming.drop();
    }
  }

  async close(): Promise<void> {
    for (const each of [this.writing, this.reading, this.trimming]) each.drop();
  }

  private async insert(
    connection: PostgresConnection,
    expected: number,
    bytes: Buffer,
  ): Promise<AppendOutcome> {
    connection.isWaitCancelled = false;
    const append = { shard: this.options.shard, place: expected, bytes };
    const at = await appendedRow(connection.client, insert, append);
    if (connection.isWaitCancelled) {
      this.noteDoubt(expected);
      return { kind: 'unknown' };
    }
    if (at === null) return { kind: 'refused' };
    // The standby has everything that the server logged before this row.
    this.doubt = null;
    return { kind: 'stored', place: expected, at };
  }

  /**
   * Notes that an append at `place` was given up or has an unknown outcome: the server may still be
   * carrying it out.
   */
  private noteDoubt(place: number): void {
    this.doubt = Math.max(this.doubt ?? place, place);
  }

  /**
   * Resolves once the standby has every row seen through this connection so far, that is all below
   * `end`. A row can be visible earlier if its wait for the standby was cancelled, or was
   * interrupted by a restart of the server, which has the row in its own log. A reader would trust
   * such a row, yet it would be lost with that server. An empty commit waits for all commits before
   * it. Rejects if that wait is cancelled, too.
   */
  private async prove(connection: PostgresConnection, end: number): Promise<void> {
    const { doubt } = this;
    if (this.proven === connection && doubt === null && this.appending === null) return;
    connection.isWaitCancelled = false;
    const cancel = this.leaveOnceReplaced(connection);
    await connection.client.query(commitOfNothing).finally(cancel);
    if (connection.isWaitCancelled) throw new Error('the wait for the standby was cancelled');
    this.proven = connection;
    if (doubt !== null && doubt < end && this.doubt === doubt) this.doubt = null;
  }

  /**
   * Closes the connection once its server was replaced; returns a function that stops the checks.
   * An old primary that is cut off from its promoted standby would keep a read waiting for ever.
   */
  private leaveOnceReplaced(connection: PostgresConnection): () => void {
    let isOver = false;
    let cancel = () => {};
    const look = async () => {
      const isReplaced = await this.reading.isReplaced(connection).catch(() => false);
      if (isOver) return;
      if (isReplaced) connection.socket.destroy(new Error(replaced));
      else lookLater();
    };
    const lookLater = () => {
      cancel = systemClock.after(lookMs, () => void look());
    };
    lookLater();
    return () => {
      isOver = true;
      cancel();
    };
  }

  private async reads<Found>(
    ask: (connection: PostgresConnection) => Promise<Found>,
  ): Promise<Found> {
    const opening = this.reading.open();
    try {
      const connection = await opening;
      requireNewest(connection, this.writing);
      return await ask(connection);
    } catch (error) {
      this.reading.discard(opening);
      this.options.onError?.(error);
      throw error;
    }
  }
}

const replaced = 'the server of PostgreSQL was replaced: another one was promoted after it';

/**
 * Throws if the other connection (for reads or writes) is to a server that was promoted later: the
 * replaced server may still run, but has nothing new.
 */
function requireNewest({ timeline }: PostgresConnection, beside: PostgresConnections): void {
  if (timeline < beside.timeline) throw new Error(replaced);
}

/** Where the log of `shard` begins and ends, and the time of its server. */
async function boundsOf(
  client: PostgresConnection['client'],
  shard: string,
): Promise<Required<Omit<ReadEntries, 'entries'>>> {
  const question = { name: 'stepwell_bounds', text: bounds, values: [shard] };
  const { rows } = await client.query<Record<string, unknown>>(question);
  const { first, last, now } = rows[0] ?? {};
  const end = last === null ? 0 : Number(last) + 1;
  return { start: Number(first ?? 0), end, now: Number(now) };
}

const noBytes = Buffer.alloc(0);

/** Decodes a binary `int8`. */
function numberIn(bytes: Buffer = noBytes): number {
  return Number(bytes.readBigInt64BE());
}
