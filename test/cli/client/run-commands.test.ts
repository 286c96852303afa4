import { createWorkflow } from '@upstash/workflow/cloudflare';
import { callApi } from '../../support/clients/api-call.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';
import { WorkflowApp } from '../../support/workflows/workflow-app.js';

silenceConsole();

let isBroken = true;
const awaiting = createWorkflow(async (context) => {
  await context.run('prepare', () => 'ready');
  const { eventData } = await context.waitForEvent('payment', `paid-${context.workflowRunId}`);
  return eventData;
});
const failing = createWorkflow(async (context) => {
  await context.run('step', () => {
    if (isBroken) throw new Error('broken');
    return 'mended';
  });
});

let server: TestServer;
let app: WorkflowApp;

beforeAll(async () => {
  server = await startServer();
  app = await WorkflowApp.start(server, { awaiting, failing });
});
afterAll(async () => {
  await app.stop();
  await server.remove();
});

const run = (...words: string[]) => answered(server, words);

interface FailedRun {
  readonly dlqId: string;
  readonly workflowRunId: string;
}

/** The runs in the dead letters, newest first. */
async function failedRuns(): Promise<readonly FailedRun[]> {
  const { body } = await callApi(server, 'GET', '/v2/workflows/dlq');
  const { messages } = body as { messages: readonly FailedRun[] };
  return messages.map(({ dlqId, workflowRunId }) => ({ dlqId, workflowRunId }));
}

/**
 * Settles when the run waits for this reason; the time limit of the test ends the wait otherwise.
 */
async function untilReason(id: string, reason: string): Promise<void> {
  for (;;) {
    const { body } = await callApi(server, 'GET', `/v2/workflows/runs/${id}/why`);
    if ((body as { reason?: string }).reason === reason) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it('run start starts a run, and notify lets it end', async () => {
  const url = app.urlOf('awaiting');
  const [started] = await run('run', 'start', url, '--id', 'order-7', '--label', 'o', '-d', '{}');
  const id = String(started?.['workflowRunId']);
  expect(id).toContain('order-7');
  await untilReason(id, 'event');
  await run('run', 'notify', `paid-${id}`, '-d', '{"amount":12}');
  expect((await app.outcome(id)).state).toBe('RUN_SUCCESS');
  const states = (await run('run', 'tail', id)).map(({ state }) => state);
  expect([states[0], states.at(-1)]).toEqual(['RUN_STARTED', 'RUN_SUCCESS']);
});

it('run ls, why and show describe a run that waits', async () => {
  const id = await app.trigger('awaiting', { label: 'shown' });
  await untilReason(id, 'event');
  expect(await run('run', 'ls', '--label', 'shown')).toMatchObject([
    { workflowRunId: id, state: 'waiting' },
  ]);
  expect(await run('run', 'why', id)).toMatchObject([{ reason: 'event', state: 'waiting' }]);
  expect(await run('run', 'show', id)).toMatchObject([
    {
      workflowRunId: id,
      why: { reason: 'event' },
      lanes: [{ type: 'Initial' }, { name: 'prepare' }, { name: 'payment', state: 'waiting' }],
    },
  ]);
});

it.each(['resume', 'restart'])('run %s takes a failed run by its id', async (verb) => {
  isBroken = true;
  const id = await app.trigger('failing', { retries: 0 });
  expect((await app.outcome(id)).state).toBe('RUN_FAILED');
  isBroken = false;
  const [revived] = await run('run', verb, id);
  expect((await app.outcome(String(revived?.['workflowRunId']))).state).toBe('RUN_SUCCESS');
});

it.each([
  ['resume', 'due-7'],
  // An id that looks like that of a dead letter.
  ['restart', '2026-7'],
])('run %s takes %s, and no run whose id begins with it', async (verb, own) => {
  isBroken = true;
  // The newest dead letter is the first of the listing.
  for (const id of [own, `${own}0`, `${own}1`]) {
    await run('run', 'start', app.urlOf('failing'), '--id', id, '--retries', '0');
    expect((await app.outcome(id)).state).toBe('RUN_FAILED');
  }
  const before = await failedRuns();
  isBroken = false;
  const [revived] = await run('run', verb, own);
  expect((await app.outcome(String(revived?.['workflowRunId']))).state).toBe('RUN_SUCCESS');
  const left = before.filter(({ workflowRunId: id }) => id !== own);
  expect(await failedRuns()).toEqual(left);
  await run('run', verb, String(left[0]?.dlqId));
  expect(await failedRuns()).toEqual(left.slice(1));
  const { code, stderr } = await runClient(server, ['run', verb, 'due']);
  expect([code, stderr]).toEqual([66, 'stepwell: there is no failed run due\n']);
});

it('run notify of a run that is not active is exit code 66, and stores no event', async () => {
  const said = (id: string) => [66, '', `stepwell: there is no active run ${id}\n`];
  for (const id of ['order-99', 'wfr_none', 'order/99']) {
    const { code, stdout, stderr } = await runClient(server, [
      ...['run', 'notify', 'paid', '--run', id],
    ]);
    expect([code, stdout, stderr]).toEqual(said(id));
  }
  await run('run', 'start', app.urlOf('awaiting'), '--id', 'a/9', '--delay', '1h');
  expect(await run('run', 'notify', 'paid', '--run', 'a/9')).toEqual([[]]);
  expect(await run('run', 'cancel', 'a/9')).toEqual([{ cancelled: 1 }]);
});

it('run show and cancel treat an id with a comma as one id', async () => {
  const url = app.urlOf('awaiting');
  for (const id of ['x', 'y', 'x,y']) await run('run', 'start', url, '--id', id, '--delay', '1h');
  expect(await run('run', 'cancel', 'x,y', 'x')).toEqual([{ cancelled: 2 }]);
  expect(await run('run', 'why', 'y')).toMatchObject([{ state: 'sleeping' }]);
  expect(await run('run', 'show', 'x,y')).toMatchObject([
    { workflowRunId: 'x,y', workflowState: 'RUN_CANCELED' },
  ]);
  await run('run', 'cancel', 'y');
});

it('run cancel ends runs, and a run that does not exist is exit code 66', async () => {
  const id = await app.trigger('awaiting');
  await untilReason(id, 'event');
  expect(await run('run', 'cancel', id)).toEqual([{ cancelled: 1 }]);
  const { code, stderr } = await runClient(server, ['run', 'show', 'wfr_none']);
  expect([code, stderr]).toEqual([66, expect.stringMatching(/^stepwell: .*wfr_none not found\n$/)]);
});
