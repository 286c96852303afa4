/** Finds exactly the run with an id, not those whose ids merely begin with it. */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import type { ApiClient } from '../connect/api-client.js';
import { ApiRefusal, ClientError } from '../connect/client-errors.js';
import { pathPart } from '../connect/path-part.js';
import { textOf } from '../output/columns.js';

const letterForm = /^\d+-\d+(s\w{2})?$/;

/**
 * The id of the dead letter of a failed run, the newest if several runs had the id; or `id` itself
 * if it is that of a dead letter. Throws `ClientError` if there is none.
 */
export async function letterOf(api: ApiClient, id: string): Promise<string> {
  // The filter matches prefixes of ids (workflows.md 6.1).
  const query = { workflowRunId: id };
  const begun = api.list('/v2/workflows/dlq', 'messages', query, Number.POSITIVE_INFINITY);
  for await (const letter of begun) {
    if (textOf(letter, 'workflowRunId') === id) return textOf(letter, 'dlqId');
  }
  if (letterForm.test(id)) return id;
  throw new ClientError(`there is no failed run ${id}`, exitCodes.notFound);
}

/** Throws `ClientError` if no run with this id is active. */
export async function requireActive(api: ApiClient, id: string): Promise<void> {
  const waiters = api.get(`/v2/workflows/runs/${pathPart(id)}/waiters`);
  if (!(await isFound(waiters))) {
    throw new ClientError(`there is no active run ${id}`, exitCodes.notFound);
  }
}

/** Cancels the runs that are active, and returns their number. */
export async function cancelRuns(api: ApiClient, ids: readonly string[]): Promise<number> {
  let cancelled = 0;
  // One by one, as a filter splits an id that contains a comma.
  for (const id of new Set(ids)) {
    if (await isFound(api.delete(`/v2/workflows/runs/${pathPart(id)}`))) cancelled += 1;
  }
  return cancelled;
}

/** Whether a request succeeded; false if it was answered 404. */
async function isFound(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return false;
    throw error;
  }
}
