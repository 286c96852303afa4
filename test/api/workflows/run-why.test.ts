import { createWorkflow } from '@upstash/workflow/cloudflare';
import { Engine } from '../../../src/engine/engine.js';
import { RunSituations } from '../../../src/workflows/why/run-situations.js';
import { whyRun } from '../../../src/workflows/why/why-run.policy.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';
import { stepInfo } from '../../support/workflows/run-commands.js';
import { idOf, RunEndpoint, step } from '../../support/workflows/run-endpoint.js';
import { WorkflowApp } from '../../support/workflows/workflow-app.js';

silenceConsole();

const sleeping = createWorkflow(async (context) => {
  await context.sleep('nap', 3600);
});
const awaiting = createWorkflow(async (context) => {
  await context.waitForEvent('approval', `go-${context.workflowRunId}`, { timeout: '2h' });
});
const calling = createWorkflow<string, unknown>(async (context) => {
  await context.call('pay', { url: context.requestPayload, retries: 0 });
});
const parent = createWorkflow(async (context) => {
  await context.invoke('child', { workflow: sleeping, body: null });
});
const parallel = createWorkflow(async (context) => {
  await Promise.all([
    context.sleep('long nap', 3600),
    context.waitForEvent('answer', `both-${context.workflowRunId}`, { timeout: '1h' }),
  ]);
});
const failing = createWorkflow(async (context) => {
  await context.run('step', () => {
    throw new Error('broken');
  });
});

let server: TestServer;
let app: WorkflowApp;
let third: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
  third = await RecordingEndpoint.start(() => new Promise(() => undefined));
  const workflows = { sleeping, awaiting, calling, parent, parallel, failing };
  app = await WorkflowApp.start(server, workflows);
});

afterAll(async () => {
  await callApi(server, 'DELETE', '/v2/workflows/runs');
  await callApi(server, 'DELETE', '/v2/messages');
  await third.stop();
  await app.stop();
  await server.remove();
});

const why = (runId: string) => callApi(server, 'GET', `/v2/workflows/runs/${runId}/why`);

/** Resolves with the answer once its reason is `reason`; otherwise the test times out. */
async function whyOnce(runId: string, reason: string): Promise<Record<string, unknown>> {
  for (;;) {
    const answered = (await why(runId)).body as Record<string, unknown>;
    if (answered['reason'] === reason) return answered;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const instant = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';

describe('the reason why a run waits', () => {
  it('is a sleep, with the time at which it ends', async () => {
    const { state, sentence, until, waits } = await whyOnce(await app.trigger('sleeping'), 'sleep');
    expect(state).toBe('sleeping');
    expect(sentence).toMatch(new RegExp(`^Step "nap" sleeps until ${instant}\\.$`));
    expect(Number(until)).toBeGreaterThan(Date.now() + 3_500_000);
    expect(waits).toEqual([{ reason: 'sleep', stepName: 'nap', sentence, until }]);
  });

  it('is an event, with the request that sends it', async () => {
    const runId = await app.trigger('awaiting');
    const { state, sentence, remedy, until } = await whyOnce(runId, 'event');
    expect(state).toBe('waiting');
    expect(sentence).toMatch(
      new RegExp(`^Step "approval" waits for event go-${runId} until ${instant}\\.$`),
    );
    expect(Number(until)).toBeGreaterThan(Date.now() + 7_000_000);
    const path = String(remedy).replace(/^POST /, '');
    expect((await callApi(server, 'POST', path, {}, '{}')).status).toBe(201);
    expect((await app.outcome(runId)).state).toBe('RUN_SUCCESS');
  });

  it('is a third party that does not answer', async () => {
    const runId = await app.trigger('calling', { body: `${third.url}/pay` });
    await third.received(1);
    const { state, sentence } = await whyOnce(runId, 'in_flight');
    expect(state).toBe('calling');
    expect(sentence).toMatch(
      /^Step "pay" calls a third party\. Attempt 1 of 1 has been in flight since/,
    );
    expect(sentence).toContain(`${third.url}/pay has until`);
  });

  it('is another run, with its id', async () => {
    const { state, sentence, waits } = await whyOnce(await app.trigger('parent'), 'invocation');
    expect(state).toBe('invoking');
    const [child] = waits as { workflowRunId: string }[];
    expect(sentence).toBe(`Step "child" waits for the end of run ${child?.workflowRunId}.`);
    await whyOnce(child?.workflowRunId ?? '', 'sleep');
  });

  it('includes each of the open parallel steps', async () => {
    const runId = await app.trigger('parallel');
    const { sentence, waits } = await whyOnce(runId, 'event');
    expect(sentence).toMatch(/\. 1 other step of it is open too\.$/);
    expect(waits).toMatchObject([
      { reason: 'event', stepName: 'answer', eventId: `both-${runId}` },
      { reason: 'sleep', stepName: 'long nap' },
    ]);
  });

  it('is not a delivery that ends while the answer is composed', async () => {
    const endpoint = await RunEndpoint.start(server);
    const { runId } = endpoint;
    const id = idOf(await endpoint.init());
    await endpoint.received(1);
    const engine = server.application.nest.get(Engine, { strict: false });
    const situations = server.application.nest.get(RunSituations, { strict: false });
    const at = Date.now();
    const wait = { step: stepInfo(1), eventId: 'paid', timeout: '1h', deadline: at + 3_600_000 };
    const opened = { type: 'OpenWait', kind: 'run', id: runId, at, messageId: 'msg_w', ...wait };
    const ended = { type: 'CompleteMessage', kind: 'message', id, at };
    // All in one tick: the state read first is not durable yet, and no longer true.
    const done = engine.dispatch([opened]);
    const asked = situations.of(runId);
    await Promise.all([done, engine.dispatch([ended])]);
    const situation = await asked;
    expect(situation === null ? null : whyRun(situation, at)).toMatchObject({ reason: 'event' });
    await endpoint.stop();
  });

  it('is an event whose name must be encoded in a path', async () => {
    const endpoint = await RunEndpoint.start(server);
    await endpoint.init();
    const event = encodeURIComponent('wfr_7/is paid? 50 %');
    const wait = { step: step(1, { stepType: 'Wait' }), timeout: '1h' };
    await endpoint.post(`/v2/wait/${event}`, endpoint.headers(false), wait);
    const { body } = await why(endpoint.runId);
    const { waits } = body as { waits: readonly { reason: string; remedy?: string }[] };
    const { remedy = '' } = waits.find(({ reason }) => reason === 'event') ?? {};
    const [method = '', path = ''] = remedy.split(' ');
    expect(await callApi(server, method, path)).toMatchObject({
      status: 201,
      body: [{ workflowRunId: endpoint.runId }],
    });
    await endpoint.stop();
  });

  it('is the retry of a failed step, with its error', async () => {
    const options = { retries: 1, retryDelay: '3600000' };
    const { state, sentence } = await whyOnce(await app.trigger('failing', options), 'retry');
    expect(state).toBe('running');
    expect(sentence).toMatch(/^The endpoint is called with the result of step "init"\. Attempt 1/);
    expect(sentence).toContain('the answer was 500; attempt 2 of 2 starts at');
  });
});

describe('a run that has ended', () => {
  it('shows how it ended, and what can be done', async () => {
    const failed = await app.trigger('failing', { retries: 0 });
    const { sentence, remedy, waits } = await whyOnce(failed, 'failed');
    expect(sentence).toMatch(new RegExp(`^It failed at ${instant}: every attempt`));
    expect(waits).toEqual([]);
    const path = /^POST (\S+) continues/.exec(String(remedy))?.[1] ?? '';
    expect(await callApi(server, 'POST', path)).toMatchObject({ status: 200 });
    expect((await why(failed)).body).not.toHaveProperty('remedy');
    const messages = await callApi(server, 'GET', `/v2/logs?state=FAILED&count=1000`);
    const { logs } = messages.body as { logs: readonly { messageId: string }[] };
    expect(logs).not.toEqual([]);
    for (const { messageId } of logs) {
      // A failed message of a run has no dead letter of its own.
      const { body } = await callApi(server, 'GET', `/v2/messages/${messageId}/why`);
      expect(body).toMatchObject({ reason: 'failed' });
      expect(body).not.toHaveProperty('remedy');
    }
    const canceled = await app.trigger('sleeping');
    await callApi(server, 'DELETE', `/v2/workflows/runs/${canceled}?cancel=true`);
    expect((await why(canceled)).body).toMatchObject({ reason: 'canceled', state: 'canceled' });
    expect(await why('wfr_none')).toMatchObject({ status: 404 });
  });

  it('is found by an id with slashes, written as %2F', async () => {
    const runId = await app.trigger('sleeping', { workflowRunId: 'a/b' });
    const found = await why(encodeURIComponent(runId));
    expect(found).toMatchObject({ status: 200, body: { workflowRunId: runId } });
  });
});
