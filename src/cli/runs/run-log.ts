/** Reads the log of one run for the fold of its lanes (workflows.md 5.2). */
import type { RunRow } from '../../run-waterfall/lane.js';
import type { ApiClient } from '../connect/api-client.js';
import { intactRows } from '../output/intact-rows.js';

/** Of a run with more rows, only the first ones are drawn. */
const rowsMax = 5000;

/** The run's rows, oldest first; `isCut` if there are more. */
export async function runLog(
  api: ApiClient,
  id: string,
): Promise<{ readonly rows: readonly RunRow[]; readonly isCut: boolean }> {
  const query = { workflowRunId: id, order: 'earliestFirst', trimBody: 0 };
  const listed = api.list('/v2/workflows/messageLogs', 'events', query, rowsMax + 1);
  const rows: RunRow[] = [];
  for await (const row of intactRows(listed)) rows.push(rowOf(row));
  return { rows: rows.slice(0, rowsMax), isCut: rows.length > rowsMax };
}

/** The server defines the rows; its answer is not checked again. */
function rowOf(row: object): RunRow {
  return row as RunRow;
}
