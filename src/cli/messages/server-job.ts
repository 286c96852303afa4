/** Starts a job of the server (messaging.md 13) for a command, and waits for its end. */
import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { untilAnswered } from '../client/until-answered.js';
import type { ApiClient, ApiObject, Query } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { ClientError } from '../connect/client-errors.js';
import { pathPart } from '../connect/path-part.js';
import type { Output } from '../output/output.js';

/** What to do, and with which items. */
interface Work {
  readonly verb: string;
  readonly over: string;
  /** Items must match all filters; an undefined value is no filter. */
  readonly filter: Query;
  /** `50/s`; if undefined, as fast as other work allows. */
  readonly rate: string | undefined;
}

/** The first check comes soon, as most jobs are short; later checks are less and less frequent. */
const firstLookMs = 50;
const lookMaxMs = 1000;

/**
 * Starts a job and waits until it has ended, also over restarts of the server; prints how many
 * items were processed, using the word `past`. If this process is interrupted, the server continues
 * the job. Returns the job; throws if it was aborted or gave up.
 */
export async function runJob(
  api: ApiClient,
  output: Output,
  work: Work,
  past: string,
): Promise<ApiObject> {
  const begun = await api.post('/v2/jobs', { body: work });
  const job = await endOf(api, String(begun['jobId']));
  const done = Number(job['done']);
  const refused = Number(job['refused']);
  await output.one({ [past]: done, refused, jobId: job['jobId'] }, () => [
    `${past} ${done}${refused > 0 ? `, refused ${refused}` : ''}`,
    ...itemsIn(job, 'refusals').map(({ id, reason }) => `  ${id}: ${reason}`),
  ]);
  if (job['state'] === 'DONE') return job;
  const why = job['reason'] ?? 'it was aborted';
  throw new ClientError(`job ${job['jobId']} did not end: ${why}`, exitCodes.failure);
}

async function endOf(api: ApiClient, id: string): Promise<ApiObject> {
  for (let waitMs = firstLookMs; ; waitMs = Math.min(waitMs * 2, lookMaxMs)) {
    const job = await untilAnswered(() => api.get(`/v2/jobs/${pathPart(id)}`));
    if (job['endedAt'] !== undefined) return job;
    await pause(waitMs);
  }
}
