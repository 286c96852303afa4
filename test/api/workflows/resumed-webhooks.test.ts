import { callApi } from '../../support/clients/api-call.js';
import { boom, FailedRunStage, stepOf } from '../../support/workflows/failed-run-stage.js';
import type { Step, WorkflowScript } from '../../support/workflows/scripted-workflow.js';
import { askToWaitForCall, eventOf } from '../../support/workflows/waiting-runs.js';

let stage: FailedRunStage;

beforeAll(async () => {
  stage = await FailedRunStage.start('hooked');
});

beforeEach(() => stage.clear(waitForCall));

afterAll(() => stage.end());

/** Announces a webhook, does two steps that may be broken, waits for a call, and ends with it. */
const waitForCall: WorkflowScript = async ({ role, runId, steps }) => {
  const { workflow, broken, server } = stage;
  if (role !== 'step') return undefined;
  const name = ['announce', 'one', 'two'][steps.length] ?? 'wait';
  if (broken.has(name)) return boom;
  if (name === 'announce') await workflow.submit(runId, [announcement]);
  else if (name !== 'wait') await workflow.submit(runId, [stepOf(steps.length + 1, name)]);
  else if (steps.length === 3) await askToWaitForCall(server, runId, 'evt_1', 4);
  else await workflow.end(runId, bodyOfCall(steps.at(-1)));
  return undefined;
};

const announcement = stepOf(1, 'announce', {
  stepType: 'CreateWebhook',
  out: JSON.stringify({ webhookUrl: 'http://hooks/evt_1', eventId: 'evt_1' }),
});

function bodyOfCall(step: Step | undefined): string {
  const { body } = JSON.parse(eventOf({ ...step }).toString()) as { body: string };
  return Buffer.from(body, 'base64').toString();
}

/** Calls the webhook that a run has announced, without credentials. */
async function call(runId: string, body: string): Promise<number> {
  const url = `${stage.server.url}/v2/workflows/hooks/stepwell/${runId}/evt_1`;
  const response = await fetch(url, { method: 'POST', body });
  await response.text();
  return response.status;
}

/** Resolves when a run waits for the call. */
async function waits(runId: string): Promise<void> {
  for (;;) {
    const { body } = await callApi(stage.server, 'GET', `/v2/workflows/runs/${runId}/waiters`);
    if (Array.isArray(body) && body.length === 1) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function responseOf(runId: string): Promise<unknown> {
  await stage.ended(runId);
  const path = `/v2/workflows/logs?workflowRunId=${runId}`;
  const { body } = await callApi(stage.server, 'GET', path);
  return (body as { runs: readonly { workflowRunResponse?: string }[] }).runs[0]
    ?.workflowRunResponse;
}

/** A run that has announced its webhook and failed at a step. */
async function failAt(name: string) {
  stage.broken.add(name);
  return stage.fail();
}

describe('a webhook of a run that failed and was resumed', () => {
  it('is called by its original URL, which names the failed run', async () => {
    const { workflowRunId: failed, dlqId } = await failAt('one');
    expect(await call(failed, 'too early')).toBe(404);
    stage.broken.clear();
    const resumed = await stage.revive('resume', dlqId);
    await waits(resumed);
    expect(await call(failed, 'paid')).toBe(200);
    expect(await responseOf(resumed)).toBe('paid');
    expect(await call(failed, 'too late')).toBe(404);
  });

  it('keeps a call that comes before the wait', async () => {
    const { workflowRunId: failed, dlqId } = await failAt('one');
    stage.broken.clear();
    const { script } = stage.workflow;
    stage.workflow.script = async (delivery, workflow) => {
      if (delivery.steps.length === 2) expect(await call(failed, 'early')).toBe(200);
      return script(delivery, workflow);
    };
    expect(await responseOf(await stage.revive('resume', dlqId))).toBe('early');
  });

  it('keeps working after a second failure, and after a restart of the server', async () => {
    const first = await failAt('one');
    stage.broken.clear();
    stage.broken.add('two');
    const second = await stage.letterOf(await stage.revive('resume', first.dlqId));
    stage.broken.clear();
    const resumed = await stage.revive('resume', second.dlqId);
    await waits(resumed);
    await stage.restart();
    // The second run has announced nothing itself.
    expect(await call(second.workflowRunId, 'no')).toBe(404);
    expect(await call(first.workflowRunId, 'paid')).toBe(200);
    expect(await responseOf(resumed)).toBe('paid');
  });

  it('does not belong to a restarted run', async () => {
    const { workflowRunId: failed, dlqId } = await failAt('two');
    stage.broken.clear();
    const restarted = await stage.revive('restart', dlqId);
    await waits(restarted);
    expect(await call(failed, 'paid')).toBe(404);
    expect(await call(restarted, 'paid')).toBe(200);
    expect(await responseOf(restarted)).toBe('paid');
  });
});
