/** Connections to the server of PostgreSQL that takes writes. */
import { Socket } from 'node:net';
import type { Client } from 'pg';

const connectMs = 2000;

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
  isWaitCancelled: boolean;
}

/** One connection to the server that takes writes, made again where it is lost. */
export class PostgresConnections {
  private current: Promise<PostgresConnection> | null = null;

  constructor(private readonly urls: readonly string[]) {}

  /**
   * The one there is, or a new one: servers are tried in turn. Rejects where none of them takes
   * writes; the next call tries again.
   */
  open(): Promise<PostgresConnection> {
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
  discard(opening: Promise<PostgresConnection>): void {
    if (this.current === opening) this.current = null;
    opening.then(({ socket }) => socket.destroy()).catch(() => undefined);
  }

  private async connect(): Promise<PostgresConnection> {
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

  private async connectTo(connectionString: string): Promise<PostgresConnection> {
    // Loaded only where it is asked for.
    const { default: pg } = await import('pg');
    const socket = new Socket();
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: connectMs,
      stream: () => socket,
    });
    const connection: PostgresConnection = { client, socket, isWaitCancelled: false };
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
      await makeTable(client);
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }
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
