/** Rows of a list for those who go on without what is damaged. */
import { DamagedRows } from '../connect/client-errors.js';
import { complain } from './terminal.js';

/** The rows that there are; which are missing is said on standard error, and by the exit code. */
export async function* intactRows<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof DamagedRows)) throw error;
    complain(error.message);
    process.exitCode = error.exitCode;
  }
}
