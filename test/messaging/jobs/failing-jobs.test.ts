import { systemClock } from '../../../src/engine/clock.js';
import { ok } from '../../../src/grammar/result.js';
import type { JobObject } from '../../../src/messaging/jobs/job-object.js';
import { JobVerbs } from '../../../src/messaging/jobs/job-verbs.js';
import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
/** How long the server was asked to wait, in milliseconds; it really waits a hundredth of that. */
const waits: number[] = [];
/** How many times in a row the verb of this test fails from now on, at each position. */
let failures = 0;

beforeAll(async () => {
  const after: typeof systemClock.after = (ms, callback) => {
    waits.push(ms);
    return systemClock.after(ms / 100, callback);
  };
  server = await startServer({ ports: { clock: { ...systemClock, after } } });
  // A verb that no feature has: its positions are 1, 2 and 3.
  server.application.nest.get(JobVerbs, { strict: false }).add({
    ...{ over: 'messages', verb: 'retry', atOnce: 1, takesRoom: false, takesOptions: true },
    read: () => ok(({ position }) => places(position ?? 0)),
  });
});
afterAll(() => server.remove());

async function* places(from: number) {
  for (let position = from + 1; position <= 3; position += 1) {
    yield { position, item: { id: `item ${position}`, prepare: () => prepared() } };
  }
}

async function prepared() {
  if (failures > 0) {
    failures -= 1;
    throw new Error('the record cannot be read');
  }
  return ok(() => []);
}

async function endOf(expected: JobObject['state']): Promise<JobObject> {
  const work = JSON.stringify({ verb: 'retry', over: 'messages', filter: {} });
  const { body } = await callApi(server, 'POST', '/v2/jobs', {}, work);
  const { jobId } = body as JobObject;
  for (;;) {
    const job = (await callApi(server, 'GET', `/v2/jobs/${jobId}`)).body as JobObject;
    if (job.endedAt === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      continue;
    }
    expect(job.state).toBe(expected);
    return job;
  }
}

it('a failed job continues later, with longer delays each time', async () => {
  failures = 7;
  waits.length = 0;
  const job = await endOf('DONE');
  expect([job.done, job.refused, job.reason]).toEqual([3, 0, undefined]);
  // Other parts of the server also wait a second or a minute.
  const paused = waits.filter((ms) => [2, 4, 8, 16, 32].includes(ms / 1000));
  expect(paused).toEqual([2000, 4000, 8000, 16_000, 32_000]);
});

it('a job that makes no progress gives up and says why', async () => {
  failures = 8;
  const job = await endOf('FAILED');
  expect(job.done).toBe(0);
  expect(job.reason).toBe(
    'it failed 8 times in a row at one place, the last time with: the record cannot be read. ' +
      'What it has taken stays taken; asked for again, it takes the others',
  );
  const { body } = await callApi(server, 'GET', '/v2/jobs?count=1');
  const { jobs, total } = body as { jobs: JobObject[]; total: number };
  expect([jobs.length, jobs[0]?.state, total]).toEqual([1, 'FAILED', 2]);
  const again = await callApi(server, 'POST', `/v2/jobs/${job.jobId}/abort`);
  expect([again.status, (again.body as JobObject).state]).toEqual([200, 'FAILED']);
});
