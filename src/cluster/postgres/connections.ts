/** Connections to the PostgreSQL server that accepts writes. */
import { Socket } from 'node:net';
import type { Client } from 'pg';
import { afterReading } from '../../engine/clock.js';

const connectMs = 2000;

/** A server that is alive answers sooner, or at least sends some of its answer. */
const silenceMs = 5000;

/**
 * With this interval, a host that disappears while a commit waits there for its standby is noticed
 * about 10 s later.
 */
const keepAliveMs = 5000;

/**
 * An append that was given up may still wait in the server for a lock on the row of an earlier
 * append, which waits for the standby. The lock timeout ends it; otherwise each retry would occupy
 * one more connection of the server.
 */
const sessionSettings = 'set synchronous_commit = on; set lock_timeout = 1000';

const tableOf = (compression: string) => `create table stepwell_log (
  shard text not null,
  place bigint not null,
  at bigint not null,
  bytes bytea ${compression} not null,
  primary key (shard, place)
)`;

/** Compression delays the commit, and the default, pglz, takes far longer for JSON (ADR 65). */
const fastCompression = 'compression lz4';

/** SQLSTATE of the errors that are handled here. */
export const duplicateKey = '23505';
const duplicateTable = '42P07';

/**
 * SQLSTATE of the warning that a wait for the standby was cancelled: the row is committed on the
 * server alone and may be lost with it. PostgreSQL reports this only by this warning.
 */
const waitCancelled = '01000';

/** A connection, and whether its last commit is known to be on the standby. */
export interface PostgresConnection {
  readonly client: Client;
  readonly socket: Socket;
  /**
   * Increases with each promotion: of two servers that accept writes, the one with the higher
   * timeline is the right one.
   */
  readonly timeline: number;
  isWaitCancelled: boolean;
}

/** One connection to the server that accepts writes; opened again when it is lost. */
export class PostgresConnections {
  private current: Promise<PostgresConnection> | null = null;
  /** The timeline of the connected server; 0 while there is no connection. */
  timeline = 0;

  constructor(private readonly urls: readonly string[]) {}

  /**
   * Returns the existing connection, or opens a new one by trying all servers. Rejects if none of
   * them accepts writes; the next call tries again.
   */
  open(): Promise<PostgresConnection> {
    if (this.current !== null) return this.current;
    const opening = this.connect();
    this.current = opening;
    opening.then(
      ({ timeline }) => {
        if (this.current === opening) this.timeline = timeline;
      },
      () => this.forget(opening),
    );
    return opening;
  }

  /** Whether a server that takes writes was promoted after the server of this connection. */
  async isReplaced({ timeline }: PostgresConnection): Promise<boolean> {
    const newest = await this.connect();
    newest.socket.destroy();
    return newest.timeline > timeline;
  }

  /** Closes what there is at once, whatever it is doing. */
  drop(): void {
    if (this.current !== null) this.discard(this.current);
  }

  /** Closes the given connection at once; a connection that was opened since then stays. */
  discard(opening: Promise<PostgresConnection>): void {
    this.forget(opening);
    opening.then(({ socket }) => socket.destroy()).catch(() => undefined);
  }

  private forget(opening: Promise<PostgresConnection>): void {
    if (this.current !== opening) return;
    this.current = null;
    this.timeline = 0;
  }

  /**
   * Asks all servers, because a former primary that came back unchanged also accepts writes. The
   * server that was promoted last is the right one.
   */
  private async connect(): Promise<PostgresConnection> {
    const asked = await Promise.allSettled(this.urls.map((url) => this.connectTo(url)));
    const taking = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    taking.sort((one, other) => other.timeline - one.timeline);
    const [connection, ...others] = taking;
    for (const { socket } of others) socket.destroy();
    if (connection === undefined) {
      const reasons = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      throw new AggregateError(reasons, 'no server of PostgreSQL takes writes');
    }
    try {
      await answered(connection, makeTable);
    } catch (error) {
      connection.socket.destroy();
      throw error;
    }
    return connection;
  }

  /** Rejects if the server is a standby. */
  private async connectTo(connectionString: string): Promise<PostgresConnection> {
    // The client is loaded only when it is needed.
    const { default: pg } = await import('pg');
    const socket = new Socket();
    socket.on('timeout', () => {
      const { bytesRead } = socket;
      // If this process stood still, the answer may have come and was not read.
      afterReading(() => {
        if (socket.bytesRead !== bytesRead) return;
        socket.destroy(new Error('the server of PostgreSQL is silent'));
      });
    });
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      stream: () => socket,
    });
    client.on('error', () => this.lost(client));
    try {
      await client.connect();
      const timeline = await answered({ client, socket }, timelineOfPrimary);
      const connection: PostgresConnection = { client, socket, timeline, isWaitCancelled: false };
      client.on('notice', ({ code }) => {
        if (code === waitCancelled) connection.isWaitCancelled = true;
      });
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  /**
   * Discards a lost connection, so that it is opened again. Waiting queries reject by themselves.
   */
  private lost(client: Client): void {
    const { current } = this;
    // The client of a server that was not chosen, or of a failed attempt, is not the current one.
    current?.then(
      (connection) => {
        if (connection.client === client) this.discard(current);
      },
      () => undefined,
    );
  }
}

/** How many calls of `answered` wait for a connection. */
const waiting = new WeakMap<Socket, number>();

/**
 * Runs `ask` for queries that a live server answers at once. If the server is silent for too long,
 * the connection is closed, so that the waiting queries reject.
 */
export async function answered<Found>(
  { client, socket }: Pick<PostgresConnection, 'client' | 'socket'>,
  ask: (client: Client) => Promise<Found>,
): Promise<Found> {
  const count = () => waiting.get(socket) ?? 0;
  waiting.set(socket, count() + 1);
  socket.setTimeout(silenceMs);
  try {
    return await ask(client);
  } finally {
    waiting.set(socket, count() - 1);
    if (count() === 0) socket.setTimeout(0);
  }
}

/**
 * The server's timeline: the first eight hexadecimal digits of the name of its current WAL file.
 * Rejects if the server is a standby.
 */
async function timelineOfPrimary(client: Client): Promise<number> {
  const { rows: found } = await client.query('select pg_is_in_recovery() as follows');
  if (found[0]?.follows === true) throw new Error('the server follows another one');
  await client.query(sessionSettings);
  const { rows } = await client.query('select pg_walfile_name(pg_current_wal_lsn()) as name');
  return Number.parseInt(String(rows[0]?.name).slice(0, 8), 16);
}

/**
 * Creates the table if there is none. If there is one, the user needs no right to create it: an
 * administrator may have done so.
 */
async function makeTable(client: Client): Promise<void> {
  const { rows } = await client.query("select to_regclass('stepwell_log') as made");
  if (rows[0]?.made !== null) return;
  try {
    await client.query(tableOf(fastCompression));
  } catch (error) {
    if (isMade(error)) return;
    // The server is older than version 14, or was built without lz4.
    await client.query(tableOf('')).catch((reason: unknown) => {
      if (!isMade(reason)) throw reason;
    });
  }
}

/** Whether the error says that another node created the table at the same moment. */
function isMade(error: unknown): boolean {
  return [duplicateKey, duplicateTable].includes(codeOf(error));
}

/** The SQLSTATE of an error; empty if it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
