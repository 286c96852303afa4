/**
 * The shared log in a table of PostgreSQL (ADR 65). Its primary key compares places, so two writers
 * cannot have the same one. What it acknowledges was flushed by the server and by the standby that
 * it names (`synchronous_standby_names`); where it names none, by the server alone.
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

/** Entries and bytes of one read; an entry has 900 KiB at most. */
const entriesPerRead = 1024;
const bytesPerRead = 8 * 1024 * 1024;

/** Unix milliseconds of the server; within a transaction it goes on. */
const clock = 'floor(extract(epoch from clock_timestamp()) * 1000)';

/** The last row stays when others are trimmed: it says where the next one goes. */
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

/** Text and bytes of parameters have no place in a `copy`: `shard` is quoted as a literal. */
const copy = (shard: string, from: number) => `copy (select place, at, bytes from (
    select place, at, bytes, sum(octet_length(bytes)) over (order by place) as total from (
      select place, at, bytes from stepwell_log
      where shard = ${shard} and place >= ${from} order by place limit ${entriesPerRead}
    ) as following
  ) as counted
  where place = ${from} or total <= ${bytesPerRead} order by place) to stdout (format binary)`;

/** It waits for no standby, so that no read waits behind it: what is there longer harms nothing. */
const remove = (shard: string, before: number) => `begin; set local synchronous_commit = local;
  delete from stepwell_log where shard = ${shard} and place < ${before}
    and place < (select max(place) from stepwell_log where shard = ${shard});
  commit`;

/** A read that waits for a standby looks as often whether another server was promoted. */
const lookMs = 3000;

const commitOfNothing = "select pg_logical_emit_message(true, 'stepwell', '')";

/** An append under way, and the connection that it goes through. */
interface Appending {
  readonly opening: Promise<PostgresConnection>;
  /** Some of it may have reached the server. */
  isSent: boolean;
}

/** Statements have names: the server plans each of them once for a connection. */
export class PostgresLog implements CommitLog {
  /** Reads have one of their own: an append may wait for a standby that is away. */
  private readonly writing: PostgresConnections;
  private readonly reading: PostgresConnections;
  private appending: Appending | null = null;
  /** The highest place at which an append may still bring a row that its standby does not have. */
  private doubt: number | null = null;
  /** What was seen through this connection was proven. */
  private proven: PostgresConnection | null = null;

  constructor(private readonly options: PostgresLogOptions) {
    this.writing = new PostgresConnections(options.urls);
    this.reading = new PostgresConnections(options.urls);
  }

  /**
   * One at a time: an earlier one that has not ended is given up, with its connection. One that is
   * still being opened serves the next: a server that does not answer is waited for in it, and an
   * append may be given up sooner.
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
      // It was given up meanwhile: its bytes may be others by now.
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
      // One that was given up ends after the next one has begun.
      if (this.appending === own) this.appending = null;
    }
  }

  /** A row may be seen before its standby has it (`prove`): then the read waits for that. */
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

  /** The newest entry stays. */
  async trim(before: number): Promise<void> {
    await this.reads(({ client }) =>
      client.query(remove(client.escapeLiteral(this.options.shard), before)),
    );
  }

  async close(): Promise<void> {
    this.writing.drop();
    this.reading.drop();
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
    // Its standby has all that was logged before it.
    this.doubt = null;
    return { kind: 'stored', place: expected, at };
  }

  /** An append at `place` is given up, or of unknown outcome: its server may be at it still. */
  private noteDoubt(place: number): void {
    this.doubt = Math.max(this.doubt ?? place, place);
  }

  /**
   * Settles once the standby has all that was seen through this connection by now: all below `end`.
   * A row is seen before that where the wait for it was cancelled, or ended with its server, which
   * has it in its own log: it would be believed, and be gone with that server. A commit of nothing
   * waits for all before it. Rejects where that wait is cancelled, too.
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
   * Closes a connection whose server was replaced, until that is cancelled: one that is cut off
   * from its standby, which was promoted, would keep a read waiting for as long as it lives.
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
 * Throws where the connection beside this one is to a server that was promoted later. The one that
 * it has replaced may live on, and has nothing new.
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

/** An `int8` in binary. */
function numberIn(bytes: Buffer = noBytes): number {
  return Number(bytes.readBigInt64BE());
}
