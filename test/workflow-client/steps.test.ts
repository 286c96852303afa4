import { createWorkflow } from '@upstash/workflow/cloudflare';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

const sequential = createWorkflow<{ greeting: string }, unknown>(async (context) => {
  const one = await context.run('one', () => `${context.requestPayload.greeting}, one`);
  const two = await context.run('two', () => ({ one, list: [1, 2] }));
  const three = await context.run('three', () => undefined);
  return { ...two, three };
});

const sleeping = createWorkflow<undefined, readonly number[]>(async (context) => {
  const start = await context.run('start', () => Date.now());
  await context.sleep('nap', 1);
  const napped = await context.run('napped', () => Date.now());
  await context.sleepUntil('until', napped / 1000 + 1.5);
  const woken = await context.run('woken', () => Date.now());
  return [start, napped, woken];
});

const facts = createWorkflow(async (context) => {
  return await context.run('facts', () => ({
    payload: context.requestPayload,
    runId: context.workflowRunId,
    url: context.url,
    tenant: context.headers.get('x-tenant'),
    label: context.label,
    startedInTime: Math.abs(Date.now() - context.workflowRunCreatedAt) < 60_000,
  }));
});

const echo = createWorkflow(async (context) => {
  await context.run('nothing', () => undefined);
  return context.requestPayload;
});

const stubborn = createWorkflow(async (context) => {
  const first = await context.run('first', () => {
    if (context.retried < 2) throw new Error(`not at try ${context.retried}`);
    return context.retried;
  });
  const second = await context.run('second', () => context.retried);
  return [first, second];
});

const long = createWorkflow<number, number>(async (context) => {
  let sum = 0;
  for (let step = 1; step <= context.requestPayload; step += 1) {
    const before = sum;
    sum = await context.run(`step ${step}`, () => before + step);
  }
  return sum;
});

let stage: WorkflowStage;

beforeAll(async () => {
  stage = await startWorkflowStage({ sequential, sleeping, facts, echo, stubborn, long });
});

afterEach(() => expect(stage.app.contradictions()).toEqual([]));

afterAll(() => stage.end());

describe('steps one after the other', () => {
  it('go on with what the earlier ones returned, in one call more than there are', async () => {
    const runId = await stage.app.trigger('sequential', { body: { greeting: 'hello' } });
    expect(await stage.app.outcome(runId)).toEqual({
      state: 'RUN_SUCCESS',
      response: { one: 'hello, one', list: [1, 2] },
    });
    // The end is reported while the last call is open.
    await stage.quiet();
    const calls = stage.app.callsOf(runId);
    expect(calls.map(({ role, status }) => `${role} ${status}`)).toEqual(Array(4).fill('step 200'));
    const inits = calls.map(({ headers }) => headers['upstash-workflow-init']);
    expect(inits).toEqual(['true', 'false', 'false', 'false']);
  });

  it('may be two hundred', async () => {
    const runId = await stage.app.trigger('long', { body: 200 });
    expect(await stage.app.outcome(runId)).toEqual({ state: 'RUN_SUCCESS', response: 20_100 });
    expect(stage.app.callsOf(runId)).toHaveLength(201);
  });

  it('are not called again once their run has ended', async () => {
    const runId = await stage.app.trigger('sequential', { body: { greeting: 'once' } });
    await stage.app.outcome(runId);
    await stage.quiet();
    expect(stage.app.callsOf(runId)).toHaveLength(4);
  });
});

describe('a run that sleeps', () => {
  it('never wakes early', async () => {
    const runId = await stage.app.trigger('sleeping');
    const { state, response } = await stage.app.outcome(runId);
    expect(state).toBe('RUN_SUCCESS');
    const [start = 0, napped = 0, woken = 0] = response as readonly number[];
    expect(napped - start).toBeGreaterThanOrEqual(1000);
    // The header of a sleep until a moment is in whole seconds.
    expect(woken - napped).toBeGreaterThanOrEqual(1000);
    expect(stage.app.callsOf(runId)).toHaveLength(6);
  });
});

describe('a workflow function', () => {
  it('reads the payload, headers and labels of its trigger, in every call', async () => {
    const runId = await stage.app.trigger('facts', {
      body: 'no JSON',
      headers: { 'X-Tenant': 'acme', 'Content-Type': 'text/plain' },
      label: ['blue', 'green'],
    });
    expect((await stage.app.outcome(runId)).response).toEqual({
      payload: 'no JSON',
      runId,
      url: stage.app.urlOf('facts'),
      tenant: 'acme',
      label: 'blue',
      startedInTime: true,
    });
    for (const { headers } of stage.app.callsOf(runId)) {
      expect(headers).toMatchObject({ 'x-tenant': 'acme', 'upstash-label': 'blue,green' });
    }
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'text with "quotes" and ü'],
    ['a number', 0],
    ['an object', { deep: [{ est: true }] }],
  ])('may be given %s and return it', async (_what, body) => {
    const runId = await stage.app.trigger('echo', { body });
    expect(await stage.app.outcome(runId)).toEqual({ state: 'RUN_SUCCESS', response: body });
  });

  it('is called again when a step throws, with the number of attempts', async () => {
    const runId = await stage.app.trigger('stubborn');
    expect(await stage.app.outcome(runId)).toEqual({ state: 'RUN_SUCCESS', response: [2, 0] });
    await stage.quiet();
    const calls = stage.app.callsOf(runId).map(({ retried, status }) => `${retried}: ${status}`);
    expect(calls).toEqual(['0: 500', '1: 500', '2: 200', '0: 200', '0: 200']);
  });
});
