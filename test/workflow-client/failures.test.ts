import { WorkflowNonRetryableError, WorkflowRetryAfterError } from '@upstash/workflow';
import { createWorkflow } from '@upstash/workflow/cloudflare';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

/** What failure functions got, by run. */
const failures = new Map<string, unknown[]>();
/** Attempts that a failure function fails before it works, by run. */
const stumbles = new Map<string, number>();

const failing = createWorkflow<string, unknown>(
  async (context) => {
    await context.run('before', () => 'done');
    await context.run('broken', () => {
      throw new Error(`broken by ${context.requestPayload}`);
    });
  },
  {
    failureFunction: async ({ context, failStatus, failResponse, failHeaders }) => {
      const { workflowRunId, requestPayload, headers } = context;
      const reported = failures.get(workflowRunId) ?? [];
      failures.set(workflowRunId, [
        ...reported,
        {
          status: failStatus,
          response: failResponse,
          step: failHeaders['Upstash-Error-Step-Name'],
          payload: requestPayload,
          tenant: headers.get('x-tenant'),
        },
      ]);
      if (reported.length < (stumbles.get(workflowRunId) ?? 0)) throw new Error('stumbled');
      return 'handled';
    },
  },
);

/** More than a dead letter shows: its failure function gets all of it. */
const verbose = createWorkflow(
  async (context) => {
    await context.run('verbose', () => {
      throw new WorkflowNonRetryableError('x'.repeat(200_000));
    });
  },
  {
    failureFunction: async ({ context, failResponse }) => {
      failures.set(context.workflowRunId, [failResponse]);
    },
  },
);

const hopeless = createWorkflow(async (context) => {
  await context.run('hopeless', () => {
    throw new WorkflowNonRetryableError('never again');
  });
});

const busy = createWorkflow(async (context) => {
  return await context.run('busy', () => {
    if (context.retried === 0) throw new WorkflowRetryAfterError('not yet', 1);
    return Date.now();
  });
});

/** Authorization in the protocol's sense: a function that returns before its first step. */
const unauthorized = createWorkflow(async () => 'nothing');

const large = createWorkflow<{ text: string }, number>(async (context) => {
  const { length } = context.requestPayload.text;
  const grown = await context.run('grow', () => 'y'.repeat(1024 * 1024));
  await context.sleep('nap', 1);
  return length + grown.length;
});

let stage: WorkflowStage;

beforeAll(async () => {
  stage = await startWorkflowStage({ failing, verbose, hopeless, busy, unauthorized, large });
});

afterEach(() => expect(stage.app.contradictions()).toEqual([]));

afterAll(() => stage.end());

/** What the failure function of a run got, once it was called that often. */
async function reportedOf(runId: string, count = 1) {
  while ((failures.get(runId) ?? []).length < count) await stage.quiet();
  await stage.quiet();
  return failures.get(runId);
}

/** The statuses that the application answered a run's calls with. */
const answersOf = (runId: string) =>
  stage.app.callsOf(runId).map(({ role, status }) => `${role} ${status}`);

describe('a run whose step throws', () => {
  it('fails after its retries, and its failure function gets all of it', async () => {
    const runId = await stage.app.trigger('failing', {
      body: 'me',
      retries: 1,
      headers: { 'X-Tenant': 'acme' },
    });
    expect((await stage.app.outcome(runId)).state).toBe('RUN_FAILED');
    expect(await reportedOf(runId)).toEqual([
      {
        status: 500,
        response: 'broken by me',
        step: ['broken'],
        payload: 'me',
        tenant: 'acme',
      },
    ]);
    expect(answersOf(runId)).toEqual(['step 200', 'step 500', 'step 500', 'failureCallback 200']);
  });

  it('has an error of any length given to its failure function', async () => {
    const runId = await stage.app.trigger('verbose');
    expect((await stage.app.outcome(runId)).state).toBe('RUN_FAILED');
    expect(await reportedOf(runId)).toEqual(['x'.repeat(200_000)]);
  });

  it('has its failure function called again where that one throws', async () => {
    stumbles.set('wfr_stumbling', 1);
    const runId = await stage.app.trigger('failing', {
      workflowRunId: 'stumbling',
      body: 'me',
      retries: 2,
    });
    expect(await reportedOf(runId, 2)).toHaveLength(2);
    expect(answersOf(runId).slice(-2)).toEqual(['failureCallback 500', 'failureCallback 200']);
  });

  it('fails at once where it says that retries are in vain', async () => {
    const runId = await stage.app.trigger('hopeless', { retries: 5 });
    expect((await stage.app.outcome(runId)).state).toBe('RUN_FAILED');
    await stage.quiet();
    // Its workflow has no failure function, and the endpoint says so.
    expect(answersOf(runId)).toEqual(['step 489', 'failureCallback 200']);
  });

  it('is called again when it says', async () => {
    const startedAt = Date.now();
    const runId = await stage.app.trigger('busy');
    const { state, response } = await stage.app.outcome(runId);
    expect(state).toBe('RUN_SUCCESS');
    expect(Number(response) - startedAt).toBeGreaterThanOrEqual(1000);
    await stage.quiet();
    expect(answersOf(runId)).toEqual(['step 429', 'step 200', 'step 200']);
  });

  it('fails where its function returns before the first step', async () => {
    const runId = await stage.app.trigger('unauthorized', { retries: 1 });
    expect((await stage.app.outcome(runId)).state).toBe('RUN_FAILED');
    expect(answersOf(runId).slice(0, 2)).toEqual(['step 400', 'step 400']);
  });
});

describe('a run of many bytes', () => {
  it('has them fetched by the application', async () => {
    const body = { text: 'x'.repeat(5 * 1024 * 1024) };
    const runId = await stage.app.trigger('large', { body });
    expect((await stage.app.outcome(runId)).response).toBe(6 * 1024 * 1024);
    const calls = stage.app.callsOf(runId);
    expect(calls.map(({ body: delivered }) => delivered)).toEqual(['', '', '']);
  });
});
