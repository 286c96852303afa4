/** The run that an id names: that one, and none whose id begins so. */
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import type { ApiClient } from '../connect/api-client.js';
import { ApiRefusal, ClientError } from '../connect/client-errors.js';
import { pathPart } from '../connect/path-part.js';
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

/** Throws `ClientError` where no run of this id is active. */
export async function requireActive(api: ApiClient, id: string): Promise<void> {
  const waiters = api.get(`/v2/workflows/runs/${pathPart(id)}/waiters`);
  if (!(await isFound(waiters))) {
    throw new ClientError(`there is no active run ${id}`, exitCodes.notFound);
  }
}

/** Cancels those that are active, and says how many they were. */
export async function cancelRuns(api: ApiClient, ids: readonly string[]): Promise<number> {
  let cancelled = 0;
  // One by one: a filter takes an id with a comma for two.
  for (const id of new Set(ids)) {
    if (await isFound(api.delete(`/v2/workflows/runs/${pathPart(id)}`))) cancelled += 1;
  }
  return cancelled;
}

/** Whether a request has succeeded, and not found nothing. */
async function isFound(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return false;
    throw error;
  }
}
