/** The log of one run, as the fold of its lanes reads it (workflows.md 5.2). */
import type { RunRow } from '../../run-waterfall/lane.js';
import type { ApiClient } from '../connect/api-client.js';
import { intactRows } from '../output/intact-rows.js';

/** A run with more rows is drawn by its first ones. */
const rowsMax = 5000;

/** Its rows, oldest first; `isCut` where there are more. */
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

/** The server describes its rows; what it answers is not checked again. */
function rowOf(row: object): RunRow {
  return row as RunRow;
}
