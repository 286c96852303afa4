import { createWorkflow } from '@upstash/workflow/cloudflare';
import { callApi } from '../support/clients/api-call.js';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

/** Runs of `limited` that are at work, and the most that there were at once. */
const atWork = { now: 0, most: 0 };

const short = createWorkflow(async (context) => {
  return await context.run('only', () => ({ at: Date.now(), payload: context.requestPayload }));
});

const limited = createWorkflow(async (context) => {
  await context.run('work', async () => {
    atWork.now += 1;
    atWork.most = Math.max(atWork.most, atWork.now);
    await new Promise((resolve) => setTimeout(resolve, 30));
    atWork.now -= 1;
  });
});

const endless = createWorkflow(async (context) => {
  await context.run('before', () => 1);
  await context.waitForEvent('wait', `never-${context.workflowRunId}`, { timeout: '1h' });
});

const hesitant = createWorkflow(async (context) => {
  await context.run('first', () => {
    if (context.retried < 2) throw new Error('not yet');
  });
  return Date.now();
});

const givingUp = createWorkflow(async (context) => {
  await context.run('before', () => 1);
  await context.cancel();
});

let stage: WorkflowStage;

beforeAll(async () => {
  stage = await startWorkflowStage({ short, limited, endless, hesitant, givingUp });
});

/** A run that was taken over has its first entry under another name. */
const isTakenOver = (runId: string) =>
  stage.app.callsOf(runId).some(({ headers }) => 'upstash-workflow-unknown-sdk' in headers);

afterEach(() => {
  const found = stage.app.contradictions();
  expect(found.filter((line) => !isTakenOver(line.split(':')[0] ?? ''))).toEqual([]);
});

afterAll(() => stage.end());

const client = () => stage.app.client;

/** When the only step of a run ran, Unix milliseconds. */
async function ranAt(runId: string): Promise<number> {
  return ((await stage.app.outcome(runId)).response as { at: number }).at;
}

describe('a trigger', () => {
  it('may be delayed', async () => {
    const startedAt = Date.now();
    const runId = await stage.app.trigger('short', { delay: 1 });
    expect((await ranAt(runId)) - startedAt).toBeGreaterThanOrEqual(1000);
  });

  it('may be for a moment', async () => {
    const notBefore = Math.ceil(Date.now() / 1000) + 1;
    const runId = await stage.app.trigger('short', { notBefore });
    expect(await ranAt(runId)).toBeGreaterThanOrEqual(notBefore * 1000);
  });

  it('says how often and when steps are tried again', async () => {
    const startedAt = Date.now();
    const runId = await stage.app.trigger('hesitant', {
      retries: 2,
      retryDelay: '300 * (1 + retried)',
    });
    const { state, response } = await stage.app.outcome(runId);
    expect(state).toBe('RUN_SUCCESS');
    expect(Number(response) - startedAt).toBeGreaterThanOrEqual(900);
    const failed = await stage.app.trigger('hesitant', { retries: 1 });
    expect((await stage.app.outcome(failed)).state).toBe('RUN_FAILED');
  });

  it('limits what runs at once', async () => {
    const flowControl = { key: 'limited', parallelism: 2 };
    const options = { url: stage.app.urlOf('limited'), flowControl };
    const runs = await client().trigger(Array.from({ length: 8 }, () => options));
    for (const { workflowRunId } of runs) await stage.app.outcome(workflowRunId);
    expect(atWork.most).toBe(2);
    const { body } = await callApi(stage.server, 'GET', '/v2/flowControl/limited');
    expect(body).toMatchObject({ flowControlKey: 'limited', parallelismMax: 2 });
  });

  it('names its run, which starts once', async () => {
    const trigger = (body: string) => stage.app.trigger('short', { workflowRunId: 'named', body });
    expect(await trigger('first')).toBe('wfr_named');
    expect(await trigger('second')).toBe('wfr_named');
    const { response } = await stage.app.outcome('wfr_named');
    expect(response).toMatchObject({ payload: 'first' });
    expect(await trigger('third')).toBe('wfr_named');
    await stage.quiet();
    expect(stage.app.callsOf('wfr_named')).toHaveLength(2);
  });

  it('may be many in one', async () => {
    const runs = await client().trigger(
      ['a', 'b', 'c'].map((body) => ({ url: stage.app.urlOf('short'), body })),
    );
    const outcomes = await Promise.all(runs.map((run) => stage.app.outcome(run.workflowRunId)));
    const payloads = outcomes.map(({ response }) => (response as { payload: string }).payload);
    expect(payloads).toEqual(['a', 'b', 'c']);
  });

  it('may be a plain publish to the endpoint, which makes a run of it', async () => {
    const path = `/v2/publish/${stage.app.urlOf('short')}`;
    await callApi(stage.server, 'POST', path, { 'upstash-forward-x-tenant': 'acme' }, 'plain');
    const ofTenant = () =>
      stage.app.deliveries.find(
        ({ role, headers }) => role === 'step' && headers['x-tenant'] === 'acme',
      );
    while (ofTenant() === undefined) await stage.quiet();
    const runId = ofTenant()?.runId ?? '';
    expect((await stage.app.outcome(runId)).response).toMatchObject({ payload: 'plain' });
    expect(stage.app.callsOf(runId)).toHaveLength(2);
  });
});

describe('a trigger by a plain request', () => {
  const trigger = async (headers: Record<string, string>) => {
    const path = `/v2/trigger/${stage.app.urlOf('short')}`;
    const { status, body } = await callApi(stage.server, 'POST', path, headers, 'plain');
    expect(status).toBe(200);
    return (body as { workflowRunId: string }).workflowRunId;
  };

  it('starts a run as the client does', async () => {
    const runId = await trigger({ 'upstash-forward-x-tenant': 'acme', 'upstash-label': 'blue' });
    expect((await stage.app.outcome(runId)).response).toMatchObject({ payload: 'plain' });
    const calls = stage.app.callsOf(runId);
    expect(calls).toHaveLength(2);
    for (const { headers } of calls) expect(headers).toMatchObject({ 'x-tenant': 'acme' });
  });

  it('may leave it to the application to say how it wants to be called', async () => {
    const runId = await trigger({
      'upstash-workflow-unknown-sdk': 'true',
      'upstash-forward-x-tenant': 'acme',
    });
    expect((await stage.app.outcome(runId)).response).toMatchObject({ payload: 'plain' });
    await stage.quiet();
    // One call more, by which the application takes the run over.
    const calls = stage.app.callsOf(runId);
    expect(calls).toHaveLength(3);
    expect(calls.map(({ headers }) => headers['upstash-workflow-unknown-sdk'])).toEqual([
      'true',
      undefined,
      undefined,
    ]);
    for (const { headers } of calls) expect(headers).toMatchObject({ 'x-tenant': 'acme' });
  });
});

describe('a run that is canceled', () => {
  /** Runs that wait. */
  async function waiting(count: number) {
    const runIds = [];
    for (let run = 0; run < count; run += 1) runIds.push(await stage.app.trigger('endless'));
    for (const runId of runIds) {
      while ((await client().getWaiters({ eventId: `never-${runId}` })).length === 0) {
        await stage.quiet();
      }
    }
    return runIds;
  }

  async function expectCanceled(runIds: readonly string[]) {
    for (const runId of runIds) {
      expect((await stage.app.outcome(runId)).state).toBe('RUN_CANCELED');
      expect(await client().getWaiters({ eventId: `never-${runId}` })).toEqual([]);
      expect(await client().notify({ eventId: `never-${runId}` })).toEqual([]);
    }
  }

  it('by its id, is called no more', async () => {
    const [one = '', two = ''] = await waiting(2);
    expect(await client().cancel(one)).toEqual({ cancelled: 1 });
    await expectCanceled([one]);
    expect(await client().cancel([one, two, 'wfr_unknown'])).toEqual({ cancelled: 1 });
    await expectCanceled([two]);
    await stage.quiet();
    expect(stage.app.callsOf(one)).toHaveLength(2);
  });

  it('by its URL, or by the beginning of it', async () => {
    const first = await waiting(2);
    const url = stage.app.urlOf('endless');
    expect(await client().cancel({ filter: { workflowUrl: url.slice(0, -1) } })).toEqual({
      cancelled: 0,
    });
    expect(await client().cancel({ filter: { workflowUrl: url } })).toEqual({ cancelled: 2 });
    await expectCanceled(first);
    const second = await waiting(1);
    const workflowUrlStartingWith = url.slice(0, -1);
    expect(await client().cancel({ filter: { workflowUrlStartingWith } })).toEqual({
      cancelled: 1,
    });
    await expectCanceled(second);
  });

  it('with all others', async () => {
    const runIds = await waiting(3);
    expect(await client().cancel({ all: true })).toEqual({ cancelled: 3 });
    await expectCanceled(runIds);
  });

  it('by itself', async () => {
    const runId = await stage.app.trigger('givingUp');
    expect((await stage.app.outcome(runId)).state).toBe('RUN_CANCELED');
    await stage.quiet();
    // No failure callback is called: there is no failure.
    expect(stage.app.callsOf(runId).map(({ role }) => role)).toEqual(['step', 'step']);
  });
});
