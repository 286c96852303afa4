import type { Clock } from '../../../src/engine/clock.js';
import { Engine } from '../../../src/engine/engine.js';
import { provided } from '../../../src/engine/provided.js';
import type { JobObject } from '../../../src/messaging/jobs/job-object.js';
import { callApi } from '../../support/clients/api-call.js';
import { boom, FailedRunStage, pause } from '../../support/workflows/failed-run-stage.js';
import { runConfiguration, startRun } from '../../support/workflows/run-commands.js';

const hourMs = 3_600_000;

let stage: FailedRunStage;

beforeAll(async () => {
  stage = await FailedRunStage.start('many');
});

beforeEach(() => stage.clear(stage.sequence('one', 'two')));

afterAll(() => stage.end());

/** Creates a job, and resolves when it is done. */
async function done(body: object, headers = {}): Promise<JobObject> {
  const { server } = stage;
  const asked = await callApi(server, 'POST', '/v2/jobs', headers, JSON.stringify(body));
  expect([asked.status, asked.body]).toEqual([202, expect.anything()]);
  const { jobId } = asked.body as JobObject;
  for (;;) {
    const { body: job } = await callApi(server, 'GET', `/v2/jobs/${jobId}`);
    if ((job as JobObject).state === 'DONE') return job as JobObject;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function failedRuns(count: number, headers = {}) {
  stage.broken.add('two');
  const entries = [];
  for (let made = 0; made < count; made += 1) entries.push(await stage.fail(headers));
  stage.broken.clear();
  return entries;
}

/** The names of the latest steps of the runs with this label. */
async function runsOf(label: string): Promise<readonly string[]> {
  const path = `/v2/workflows/logs?groupBy=workflowRunId&label=${label}`;
  const { body } = await callApi(stage.server, 'GET', path);
  return (body as { runs: { workflowState: string }[] }).runs.map(
    ({ workflowState }) => workflowState,
  );
}

describe('a job over failed runs', () => {
  it('resumes the selected runs, and removes their letters', async () => {
    const selected = await failedRuns(3, { 'svc-label': 'meant' });
    const [other] = await failedRuns(1, { 'svc-label': 'other' });
    const filter = { label: 'meant' };
    const job = await done({ verb: 'resume', over: 'failedRuns', filter });
    expect(job).toMatchObject({ matched: selected.length, done: selected.length, refused: 0 });
    expect((await stage.list()).messages.map(({ dlqId }) => dlqId)).toEqual([other?.dlqId]);
    while ((await runsOf('meant')).filter((state) => state === 'RUN_SUCCESS').length < 3) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });

  it('restarts them from the beginning, and deletes them', async () => {
    const [first, second] = await failedRuns(2);
    const restart = { verb: 'restart', over: 'failedRuns', filter: { dlqIds: first?.dlqId ?? '' } };
    expect(await done(restart)).toMatchObject({ done: 1 });
    expect((await stage.list()).messages.map(({ dlqId }) => dlqId)).toEqual([second?.dlqId]);
    expect(await done({ verb: 'delete', over: 'failedRuns', filter: {} })).toMatchObject({
      done: 1,
    });
    expect(await stage.list()).toEqual({ messages: [] });
  });

  it('continues with the others if one is refused, and reports why', async () => {
    const [limited] = await failedRuns(1, {
      'svc-flow-control-key': 'some',
      'svc-flow-control-value': 'parallelism=5',
    });
    const free = await failedRuns(2);
    const job = await done(
      { verb: 'resume', over: 'failedRuns', filter: {} },
      { 'svc-flow-control-value': 'parallelism=7' },
    );
    expect(job).toMatchObject({ matched: 3, done: 1, refused: 2 });
    expect(job.refusals.map(({ id }) => id)).toEqual(free.map(({ dlqId }) => dlqId));
    expect(job.refusals[0]?.reason).toContain('the failed run');
    const left = (await stage.list()).messages.map(({ dlqId }) => dlqId);
    expect(left).not.toContain(limited?.dlqId);
    expect(left).toHaveLength(2);
  });
});

describe('a job over active runs', () => {
  it('cancels the named run, even if its id has a comma', async () => {
    const later = { 'svc-delay': '1h' };
    const named = (id: string) => stage.workflow.trigger({ ...later, 'svc-workflow-runid': id });
    for (const id of ['p', 'q', 'p,q']) await named(id);
    const filter = { workflowRunIds: ['p,q'] };
    expect(await done({ verb: 'cancel', over: 'runs', filter })).toMatchObject({ matched: 1 });
    const statuses = ['p', 'q', 'p,q'].map((id) => stage.runStatus(id));
    expect(await Promise.all(statuses)).toEqual([200, 200, 404]);
    const { body } = await callApi(stage.server, 'GET', '/v2/messages?workflowRunId=p,q');
    expect(body).toEqual({ messages: [] });
  });

  it('does not affect a later run that reuses the id of a selected run', async () => {
    const engine = stage.server.application.nest.get(Engine);
    const now = stage.server.application.nest.get<Clock>(provided.clock).now();
    const begin = (id: string, at: number) => {
      const configuration = runConfiguration({ url: stage.workflow.url });
      const messageId = `msg_${id}_${at}`;
      const notBefore = now + 24 * hourMs;
      return engine.dispatch([startRun({ id, configuration, messageId, at, notBefore })]);
    };
    for (const id of ['nightly_1', 'nightly_2']) await begin(id, now - hourMs);
    const filter = { workflowRunIds: ['nightly_1', 'nightly_2'] };
    const job = done({ verb: 'cancel', over: 'runs', filter, rate: 1 });
    while ((await stage.runStatus('nightly_1')) === 200) await pause();
    await callApi(stage.server, 'DELETE', '/v2/workflows/runs/nightly_2');
    await begin('nightly_2', now);
    const reason = 'workflow run nightly_2 not found';
    expect((await job).refusals).toEqual([{ id: 'nightly_2', reason }]);
    expect(await stage.runStatus('nightly_2')).toBe(200);
  });

  it('cancels the selected runs', async () => {
    stage.workflow.script = async () => boom;
    const headers = { 'svc-retries': '3', 'svc-retry-delay': '3600000' };
    const selected = await stage.workflow.trigger({ ...headers, 'svc-label': 'stop' });
    const other = await stage.workflow.trigger({ ...headers, 'svc-label': 'go' });
    const job = await done({ verb: 'cancel', over: 'runs', filter: { label: 'stop' } });
    expect(job).toMatchObject({ matched: 1, done: 1 });
    expect(await stage.runStatus(selected)).toBe(404);
    expect(await stage.runStatus(other)).toBe(200);
  });
});
