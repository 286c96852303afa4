/** Reads a list for callers that continue without its damaged rows. */
import { DamagedRows } from '../connect/client-errors.js';
import { printError } from './terminal.js';

/** Yields the intact rows; reports the missing ones on standard error and by the exit code. */
export async function* intactRows<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof DamagedRows)) throw error;
    printError(error.message);
    process.exitCode = error.exitCode;
  }
}
