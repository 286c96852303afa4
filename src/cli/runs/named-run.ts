/** The run that an id names: that one, and none whose id begins so. */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import type { ApiClient } from '../connect/api-client.js';
import { ClientError } from '../connect/client-errors.js';
import { textOf } from '../output/columns.js';

const letterForm = /^\d+-\d+(s\w{2})?$/;

/**
 * The dead letter of a failed run, the newest where several had the id; or the one that has the id
 * itself. Throws `ClientError` where there is none.
 */
export async function letterOf(api: ApiClient, id: string): Promise<string> {
  // The filter takes what ids begin with (workflows.md 6.1).
  const query = { workflowRunId: id };
  const begun = api.list('/v2/workflows/dlq', 'messages', query, Number.POSITIVE_INFINITY);
  for await (const letter of begun) {
    if (textOf(letter, 'workflowRunId') === id) return textOf(letter, 'dlqId');
  }
  if (letterForm.test(id)) return id;
  throw new ClientError(`there is no failed run ${id}`, exitCodes.notFound);
}
