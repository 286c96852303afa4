/** Connections to the server of PostgreSQL that takes writes. */
import { Socket } from 'node:net';
import type { Client } from 'pg';

const connectMs = 2000;

/** A server that is there answers sooner, or sends some of its answer. */
const silenceMs = 5000;

/** A host that is gone, while a commit waits there for its standby, is noticed some 10 s later. */
const keepAliveMs = 5000;

/**
 * An append that was given up may wait in its server for the row of the one before, which waits for
 * the standby. It ends by itself, or each try would take up one more connection of the server.
 */
const sessionSettings = 'set synchronous_commit = on; set lock_timeout = 1000';

const tableOf = (compression: string) => `create table if not exists stepwell_log (
  shard text not null,
  place bigint not null,
  at bigint not null,
  bytes bytea ${compression} not null,
  primary key (shard, place)
)`;

/** A commit waits for it, and the default, pglz, takes far longer for JSON (ADR 65). */
const fastCompression = 'compression lz4';

/** SQLSTATE of the errors that are handled here. */
export const duplicateKey = '23505';
const duplicateTable = '42P07';

/**
 * A wait for the standby was cancelled: the row is committed on the server and may be lost with it.
 * PostgreSQL says it by this warning alone.
 */
const waitCancelled = '01000';

/** A connection, and whether what it did last is known to be on the standby. */
export interface PostgresConnection {
  readonly client: Client;
  readonly socket: Socket;
  /** Rises with each promotion: of two servers that take writes the higher one is right. */
  readonly timeline: number;
  isWaitCancelled: boolean;
}

/** One connection to the server that takes writes, made again where it is lost. */
export class PostgresConnections {
  private current: Promise<PostgresConnection> | null = null;
  /** Of the server of the connection there is; 0 while there is none. */
  timeline = 0;

  constructor(private readonly urls: readonly string[]) {}

  /**
   * The one there is, or a new one: servers are tried in turn. Rejects where none of them takes
   * writes; the next call tries again.
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

  /** Whether a server that takes writes was promoted after the one of a connection. */
  async isReplaced({ timeline }: PostgresConnection): Promise<boolean> {
    const newest = await this.connect();
    newest.socket.destroy();
    return newest.timeline > timeline;
  }

  /** Closes what there is at once, whatever it is doing. */
  drop(): void {
    if (this.current !== null) this.discard(this.current);
  }

  /** Closes one at once; another one that was opened since stays. */
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
   * All servers are asked: one that was replaced, and came back as it was, takes writes, too. The
   * one that was promoted last is right.
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

  /** Rejects where the server follows another one. */
  private async connectTo(connectionString: string): Promise<PostgresConnection> {
    // Loaded only where it is asked for.
    const { default: pg } = await import('pg');
    const socket = new Socket();
    socket.on('timeout', () => socket.destroy(new Error('the server of PostgreSQL is silent')));
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

  /** A query that waits rejects by itself; a connection that does nothing is made again. */
  private lost(client: Client): void {
    const { current } = this;
    // Of a server that is not the right one, or of an attempt, nothing is to be dropped.
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
 * What `ask` finds where a server that is there answers at once; the connection is closed, and what
 * it waits for rejects, where the server says nothing for long.
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
 * The first eight digits of the name of a file of its log, in hexadecimal. Rejects where the server
 * follows another one.
 */
async function timelineOfPrimary(client: Client): Promise<number> {
  const { rows: found } = await client.query('select pg_is_in_recovery() as follows');
  if (found[0]?.follows === true) throw new Error('the server follows another one');
  await client.query(sessionSettings);
  const { rows } = await client.query('select pg_walfile_name(pg_current_wal_lsn()) as name');
  return Number.parseInt(String(rows[0]?.name).slice(0, 8), 16);
}

async function makeTable(client: Client): Promise<void> {
  try {
    await client.query(tableOf(fastCompression));
  } catch (error) {
    if (isMade(error)) return;
    // The server is older than version 14, or was built without it.
    await client.query(tableOf('')).catch((reason: unknown) => {
      if (!isMade(reason)) throw reason;
    });
  }
}

/** Another node has made it at the same moment. */
function isMade(error: unknown): boolean {
  return [duplicateKey, duplicateTable].includes(codeOf(error));
}

/** The SQLSTATE of an error; empty where it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
