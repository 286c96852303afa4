import { createWorkflow } from '@upstash/workflow/cloudflare';
import { callApi } from '../support/clients/api-call.js';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

/** What is broken until a test mends it. */
const broken = new Set<string>();
/** Executions of steps, by run and name. */
const executed: string[] = [];

const repairable = createWorkflow<string, unknown>(
  async (context) => {
    const what = context.requestPayload;
    const step = (name: string) => {
      executed.push(`${context.workflowRunId} ${name}`);
      return `${name} of ${what}`;
    };
    const before = await context.run('before', () => step('before'));
    const middle = await context.run('middle', () => {
      if (broken.has(what)) throw new Error(`${what} is broken`);
      return step('middle');
    });
    const after = await context.run('after', () => step('after'));
    return [before, middle, after];
  },
  {
    failureFunction: ({ context }) => {
      if (broken.has(`failure of ${context.requestPayload}`)) throw new Error('broken as well');
      return 'handled';
    },
  },
);

const parallel = createWorkflow<string, unknown>(async (context) => {
  const what = context.requestPayload;
  const step = (name: string) => {
    executed.push(`${context.workflowRunId} ${name}`);
    return name;
  };
  const results = await Promise.all([
    context.run('one', () => step('one')),
    context.run('two', async () => {
      if (broken.has(what)) {
        // The others have their results before the run fails.
        await stage.logged(context.workflowRunId, 'one', 'three');
        throw new Error(`${what} is broken`);
      }
      return step('two');
    }),
    context.run('three', () => step('three')),
  ]);
  return await context.run('end', () => results);
});

let stage: WorkflowStage;

beforeAll(async () => {
  stage = await startWorkflowStage({ repairable, parallel });
});

afterEach(() => expect(stage.app.contradictions()).toEqual([]));

afterAll(() => stage.end());

const dlq = () => stage.app.client.dlq;

/** The dead letter of a run, once there is one. */
async function letterOf(workflowRunId: string) {
  for (;;) {
    const { messages } = await dlq().list({ filter: { workflowRunId } });
    if (messages[0] !== undefined) return messages[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A run that has failed for `what`, which is mended then. */
async function failed(what: string, workflow = 'repairable', options = {}) {
  broken.add(what);
  const runId = await stage.app.trigger(workflow, { body: what, retries: 0, ...options });
  const letter = await letterOf(runId);
  broken.delete(what);
  return { runId, letter };
}

const executedBy = (runId: string) =>
  executed.flatMap((line) => (line.startsWith(`${runId} `) ? [line.split(' ')[1]] : []));

describe('a failed run', () => {
  it('is listed with what it was and what it failed of', async () => {
    const { runId, letter } = await failed('listed', 'repairable', {
      label: 'red',
      headers: { 'X-Tenant': 'acme' },
      flowControl: { key: 'repairs', parallelism: 5 },
    });
    expect(letter).toMatchObject({
      dlqId: expect.any(String),
      workflowRunId: runId,
      workflowUrl: stage.app.urlOf('repairable'),
      url: stage.app.urlOf('repairable'),
      method: 'POST',
      body: 'listed',
      maxRetries: 0,
      responseStatus: 500,
      responseBody: expect.stringContaining('listed is broken'),
      responseHeader: expect.objectContaining({ 'Upstash-Error-Step-Name': ['middle'] }),
      flowControlKey: 'repairs',
      parallelism: 5,
      label: 'red',
    });
    const byLabel = await dlq().list({ filter: { label: 'red' } });
    expect(byLabel.messages.map(({ dlqId }) => dlqId)).toEqual([letter.dlqId]);
  });

  it('goes on from the step that failed, and keeps those before it', async () => {
    const { runId, letter } = await failed('resumed');
    const resumed = await dlq().resume({ dlqId: letter.dlqId, retries: 1 });
    expect(resumed.workflowRunId).not.toBe(runId);
    const { state, response } = await stage.app.outcome(resumed.workflowRunId);
    expect(state).toBe('RUN_SUCCESS');
    expect(response).toEqual(['before of resumed', 'middle of resumed', 'after of resumed']);
    expect(executedBy(resumed.workflowRunId)).toEqual(['middle', 'after']);
    expect(stage.app.callsOf(resumed.workflowRunId)).toHaveLength(3);
    expect((await dlq().list({ filter: { workflowRunId: runId } })).messages).toEqual([]);
  });

  it('keeps a step that was submitted, although its delivery was not answered yet', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    stage.app.hold(({ headers }) =>
      headers['upstash-workflow-init'] === 'true' ? answered : null,
    );
    const { runId, letter } = await failed('unanswered');
    stage.app.hold(() => null);
    answer();
    expect(executedBy(runId)).toEqual(['before']);
    const { workflowRunId } = await dlq().resume({ dlqId: letter.dlqId });
    expect((await stage.app.outcome(workflowRunId)).response).toEqual([
      'before of unanswered',
      'middle of unanswered',
      'after of unanswered',
    ]);
    expect(executedBy(workflowRunId)).toEqual(['middle', 'after']);
  });

  it('goes on with the one branch that failed, and keeps the results of the others', async () => {
    const { letter } = await failed('branch', 'parallel');
    const { workflowRunId } = await dlq().resume({ dlqId: letter.dlqId });
    expect((await stage.app.outcome(workflowRunId)).response).toEqual(['one', 'two', 'three']);
    expect(executedBy(workflowRunId)).toEqual(['two']);
  });

  it('begins anew', async () => {
    const { runId, letter } = await failed('restarted', 'repairable', {
      headers: { 'X-Tenant': 'acme' },
    });
    const [restarted] = await dlq().restart({ dlqId: [letter.dlqId] });
    const again = restarted?.workflowRunId ?? '';
    expect(again).not.toBe(runId);
    expect((await stage.app.outcome(again)).state).toBe('RUN_SUCCESS');
    expect(executedBy(again)).toEqual(['before', 'middle', 'after']);
    expect(stage.app.callsOf(again)).toHaveLength(4);
    expect(stage.app.callsOf(again)[0]?.headers).toMatchObject({ 'x-tenant': 'acme' });
  });

  it('may fail again, and go on again', async () => {
    const { letter } = await failed('twice');
    broken.add('twice');
    const first = await dlq().resume({ dlqId: letter.dlqId });
    const again = await letterOf(first.workflowRunId);
    broken.delete('twice');
    const second = await dlq().resume({ dlqId: again.dlqId });
    expect((await stage.app.outcome(second.workflowRunId)).state).toBe('RUN_SUCCESS');
    expect(executedBy(second.workflowRunId)).toEqual(['middle', 'after']);
  });

  it('has its failure function run again, where that failed as well', async () => {
    broken.add('failure of function');
    const { letter } = await failed('function');
    const stateOf = async () =>
      (await letterOf(letter.workflowRunId)).failureCallbackInfo?.state ?? '';
    while ((await stateOf()) !== 'CALLBACK_FAIL') await stage.quiet();
    broken.delete('failure of function');
    await dlq().retryFailureFunction({ dlqId: letter.dlqId });
    while ((await stateOf()) !== 'CALLBACK_SUCCESS') await stage.quiet();
    const { failureCallbackInfo } = await letterOf(letter.workflowRunId);
    expect(failureCallbackInfo).toMatchObject({
      responseStatus: 200,
      responseBody: '{"result":"handled"}',
    });
  });

  it('may be thrown away', async () => {
    const { letter } = await failed('gone');
    expect(await dlq().delete(letter.dlqId)).toMatchObject({ deleted: 1 });
    const path = `/v2/workflows/dlq/${letter.dlqId}`;
    expect((await callApi(stage.server, 'GET', path)).status).toBe(404);
  });
});

describe('many failed runs', () => {
  it('go on in requests of fifty', async () => {
    await dlq().delete({ all: true });
    broken.add('many');
    const runs = Array.from({ length: 101 }, () => ({
      url: stage.app.urlOf('repairable'),
      body: 'many',
      retries: 0,
      label: 'many',
    }));
    await stage.app.client.trigger(runs);
    const failures = () =>
      stage.app.deliveries.filter(
        ({ role, headers }) => role === 'failureCallback' && headers['upstash-label'] === 'many',
      );
    while (failures().length < 101) await stage.quiet();
    broken.delete('many');
    const sizes: number[] = [];
    const resumed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await dlq().resume({
        filter: { label: 'many' },
        ...(cursor !== undefined && { cursor }),
      });
      sizes.push(page.workflowRuns.length);
      resumed.push(...page.workflowRuns.map(({ workflowRunId }) => workflowRunId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([50, 50, 1]);
    for (const runId of resumed) {
      expect((await stage.app.outcome(runId)).state).toBe('RUN_SUCCESS');
    }
    expect((await dlq().list({ filter: { label: 'many' } })).messages).toEqual([]);
  });
});
