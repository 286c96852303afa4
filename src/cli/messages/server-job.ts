/** A job of the server (messaging.md 13), as a command begins it and waits for its end. */
import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { untilAnswered } from '../client/until-answered.js';
import type { ApiClient, ApiObject, Query } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { ClientError } from '../connect/client-errors.js';
import { pathPart } from '../connect/path-part.js';
import type { Output } from '../output/output.js';

/** What is to be done, and with which. */
interface Work {
  readonly verb: string;
  readonly over: string;
  /** All of them hold; an undefined value is none. */
  readonly filter: Query;
  /** `50/s`; undefined = as fast as other work allows. */
  readonly rate: string | undefined;
}

/** The first look comes soon, as most jobs are short; then it is asked less and less often. */
const firstLookMs = 50;
const lookMaxMs = 1000;

/**
 * Begins it and waits until it has ended, over restarts of the server; says how many were done, in
 * the word `past`. One who does not wait for it leaves it to the server, which goes on. The job;
 * fails where it was aborted, or gave up.
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
