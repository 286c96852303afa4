import { WorkflowNonRetryableError } from '@upstash/workflow';
import { createWorkflow } from '@upstash/workflow/cloudflare';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

const steady = createWorkflow<unknown, unknown>(async (context) => {
  await context.run('one', () => 1);
  await context.sleep('nap', 1);
  await Promise.all([context.run('left', () => 'l'), context.run('right', () => 'r')]);
  return 'result';
});

const failing = createWorkflow<unknown, unknown>(
  async (context) => {
    await context.run('broken', () => {
      throw new Error('broken');
    });
  },
  { failureFunction: () => 'handled' },
);

const fragile = createWorkflow<unknown, unknown>(async (context) => {
  await Promise.all([
    context.run('sound', () => 1),
    context.run('broken', async () => {
      await stage.logged(context.workflowRunId, 'sound');
      throw new WorkflowNonRetryableError('broken');
    }),
  ]);
});

const endless = createWorkflow<unknown, unknown>(async (context) => {
  await context.run('before', () => 1);
  await context.sleep('for long', '1h');
});

const parent = createWorkflow<unknown, unknown>(async (context) => {
  return (await context.invoke('child', { workflow: steady, body: null })).body;
});

let stage: WorkflowStage;

beforeAll(async () => {
  stage = await startWorkflowStage({ steady, failing, fragile, endless, parent });
});

afterAll(() => stage.end());

/** The log of a run, which there is one of. */
async function logOf(workflowRunId: string) {
  const { runs } = await stage.app.client.logs({ workflowRunId });
  expect(runs).toHaveLength(1);
  const [run] = runs;
  if (run === undefined) throw new Error(`${workflowRunId} is not logged`);
  return run;
}

describe('the log of a run', () => {
  it('shows its steps in groups, and what it returned', async () => {
    const runId = await stage.app.trigger('steady', { body: { n: 1 }, label: ['a', 'b'] });
    await stage.app.outcome(runId);
    const run = await logOf(runId);
    expect(run).toMatchObject({
      workflowRunId: runId,
      workflowUrl: stage.app.urlOf('steady'),
      workflowState: 'RUN_SUCCESS',
      workflowRunResponse: '"result"',
      label: 'a',
      labels: ['a', 'b'],
    });
    expect(run.workflowRunCompletedAt).toBeGreaterThanOrEqual(run.workflowRunCreatedAt + 1000);
    expect(run.steps).toMatchObject([
      {
        type: 'sequential',
        steps: [{ stepName: 'init', stepType: 'Initial', out: '{"n":1}', state: 'STEP_SUCCESS' }],
      },
      { type: 'sequential', steps: [{ stepName: 'one', stepType: 'Run', out: '1' }] },
      { type: 'sequential', steps: [{ stepName: 'nap', stepType: 'SleepFor', sleepFor: 1 }] },
      { type: 'parallel', steps: [{ concurrent: 2 }, { concurrent: 2 }] },
    ]);
    expect(run.steps).toHaveLength(4);
  });

  it('shows why it failed, and what its failure function made of it', async () => {
    const runId = await stage.app.trigger('failing', { retries: 1 });
    let run = await logOf(runId);
    while (run.failureFunction?.state !== 'CALLBACK_SUCCESS') {
      await stage.quiet();
      run = await logOf(runId);
    }
    expect(run).toMatchObject({
      workflowState: 'RUN_FAILED',
      dlqId: expect.any(String),
      failureFunction: {
        url: stage.app.urlOf('failing'),
        failStatus: 500,
        responseStatus: 200,
        responseBody: '{"result":"handled"}',
      },
    });
    expect(run.steps).toHaveLength(2);
    expect(run.steps[1]).toMatchObject({
      type: 'next',
      steps: [{ state: 'STEP_FAILED', stepName: 'broken', retries: 1 }],
    });
    const [next] = run.steps[1]?.steps ?? [];
    expect(next).toHaveProperty('errors');
  });

  it('shows the branch that failed among the others', async () => {
    const runId = await stage.app.trigger('fragile', { retries: 1 });
    expect((await stage.app.outcome(runId)).state).toBe('RUN_FAILED');
    const { steps } = await logOf(runId);
    const group = steps.find(({ type }) => type === 'parallel');
    expect(group?.steps).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ stepName: 'sound', state: 'STEP_SUCCESS' }),
        expect.objectContaining({
          stepName: 'broken',
          state: 'STEP_FAILED',
          errors: [expect.objectContaining({ status: 489 })],
        }),
      ]),
    );
  });

  it('shows a run that goes on, and one that was canceled', async () => {
    const runId = await stage.app.trigger('endless');
    while (stage.app.callsOf(runId).length < 2) await stage.quiet();
    expect(await logOf(runId)).toMatchObject({ workflowState: 'RUN_STARTED' });
    await stage.app.client.cancel(runId);
    const run = await logOf(runId);
    expect(run).toMatchObject({ workflowState: 'RUN_CANCELED' });
    expect(run.workflowRunCompletedAt).toBeGreaterThanOrEqual(run.workflowRunCreatedAt);
    const next = run.steps.find(({ type }) => type === 'next');
    expect(next?.steps).toMatchObject([{ state: 'STEP_CANCELED' }]);
  });

  it('names the run that invoked it', async () => {
    const runId = await stage.app.trigger('parent');
    await stage.app.outcome(runId);
    const { steps } = await logOf(runId);
    const [invoked] = steps[1]?.steps ?? [];
    expect(invoked).toMatchObject({
      stepType: 'Invoke',
      state: 'STEP_SUCCESS',
      invokedWorkflowUrl: stage.app.urlOf('steady'),
    });
    const childId = (invoked as { invokedWorkflowRunId: string }).invokedWorkflowRunId;
    expect((await logOf(childId)).invoker).toMatchObject({
      workflowRunId: runId,
      workflowUrl: stage.app.urlOf('parent'),
    });
  });

  it('is found by the state and the URL of the run', async () => {
    const filter = { workflowUrl: stage.app.urlOf('failing'), state: 'RUN_FAILED' as const };
    const { runs } = await stage.app.client.logs({ filter });
    expect(runs.map(({ workflowState }) => workflowState)).toEqual(['RUN_FAILED']);
    const none = await stage.app.client.logs({ workflowRunId: 'wfr_nobody' });
    expect(none.runs).toEqual([]);
  });
});
