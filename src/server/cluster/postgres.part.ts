/** The client of PostgreSQL: loaded by nodes whose shared log is there, and by no other server. */
import { PostgresLog, type PostgresLogOptions } from '../../cluster/postgres/postgres-log.js';

/** Connects with the first call: this neither waits nor rejects. */
export function openPostgresLog(options: PostgresLogOptions): PostgresLog {
  return new PostgresLog(options);
}
