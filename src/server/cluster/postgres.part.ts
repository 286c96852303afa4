/** The PostgreSQL client: loaded only by nodes whose shared log is in PostgreSQL. */
import { PostgresLog, type PostgresLogOptions } from '../../cluster/postgres/postgres-log.js';

/** Connects on first use, so this neither waits nor rejects. */
export function openPostgresLog(options: PostgresLogOptions): PostgresLog {
  return new PostgresLog(options);
}
