import { createWorkflow } from '@upstash/workflow/cloudflare';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

/** What a run calls with the URL of its webhook, by run id. */
const urls = new Map<string, (url: string) => void>();

const hooked = createWorkflow<{ sleep?: number; timeout?: string; waits?: number }, unknown>(
  async (context) => {
    const { sleep = 0, timeout = '60s', waits = 1 } = context.requestPayload;
    const webhook = await context.createWebhook('create');
    await context.run('tell', () => urls.get(context.workflowRunId)?.(webhook.webhookUrl));
    if (sleep > 0) await context.sleep('nap', sleep);
    const called: unknown[] = [];
    for (let wait = 1; wait <= waits; wait += 1) {
      const { timeout: isOver, request } = await context.waitForWebhook(
        `wait ${wait}`,
        webhook,
        timeout as '60s',
      );
      if (isOver) called.push('nobody');
      else {
        called.push({
          method: request.method,
          url: request.url.replace(webhook.webhookUrl, ''),
          header: request.headers.get('x-hook'),
          body: await request.text(),
        });
      }
    }
    return called;
  },
);

let stage: WorkflowStage;

beforeAll(async () => {
  stage = await startWorkflowStage({ hooked });
});

afterEach(() => expect(stage.app.contradictions()).toEqual([]));

afterAll(() => stage.end());

let runs = 0;

/** Starts a run and waits until it has a webhook. */
async function start(
  body: { sleep?: number; timeout?: string; waits?: number },
  name = `hooked-${++runs}`,
) {
  const announced = new Promise<string>((resolve) => urls.set(`wfr_${name}`, resolve));
  const runId = await stage.app.trigger('hooked', { body, workflowRunId: name });
  return { runId, webhookUrl: await announced };
}

/** As a third party calls it: without credentials. */
async function call(url: string, method = 'POST', body?: string) {
  const { status } = await fetch(url, {
    method,
    headers: { 'x-hook': 'yes' },
    ...(body !== undefined && { body }),
  });
  return status;
}

async function untilItWaits(webhookUrl: string) {
  const eventId = webhookUrl.split('/').at(-1) ?? '';
  while ((await stage.app.client.getWaiters({ eventId })).length === 0) await stage.quiet();
}

describe('a webhook', () => {
  it('ends the wait for it with the call that was made', async () => {
    const { runId, webhookUrl } = await start({});
    await untilItWaits(webhookUrl);
    expect(await call(`${webhookUrl}?x=1`, 'PUT', '{"r":"ü"}')).toBe(200);
    expect((await stage.app.outcome(runId)).response).toEqual([
      { method: 'PUT', url: '?x=1', header: 'yes', body: '{"r":"ü"}' },
    ]);
    // The start, the webhook, the telling, the wait.
    expect(stage.app.callsOf(runId)).toHaveLength(4);
  });

  it.each(['a/b', 'a/b/', '/a//b', 'a b', 'ä', '"<a>"&b=c;d'])(
    'is called where its run is %j',
    async (name) => {
      const { runId, webhookUrl } = await start({}, name);
      await untilItWaits(webhookUrl);
      expect(await call(webhookUrl, 'POST', 'called')).toBe(200);
      const { state, response } = await stage.app.outcome(runId);
      expect([state, response]).toEqual([
        'RUN_SUCCESS',
        [expect.objectContaining({ body: 'called' })],
      ]);
    },
  );

  it('may be called before the wait for it', async () => {
    const { runId, webhookUrl } = await start({ sleep: 1 });
    expect(await call(webhookUrl, 'GET')).toBe(200);
    expect((await stage.app.outcome(runId)).response).toEqual([
      { method: 'GET', url: '', header: 'yes', body: '' },
    ]);
  });

  it('may be called as often as it is waited for', async () => {
    const { runId, webhookUrl } = await start({ sleep: 1, waits: 2 });
    expect(await call(webhookUrl, 'POST', 'one')).toBe(200);
    expect(await call(webhookUrl, 'POST', 'two')).toBe(200);
    const { response } = await stage.app.outcome(runId);
    expect(response).toMatchObject([{ body: 'one' }, { body: 'two' }]);
  });

  it('is not waited for longer than was said', async () => {
    const { runId, webhookUrl } = await start({ timeout: '1s' });
    expect((await stage.app.outcome(runId)).response).toEqual(['nobody']);
    expect(await call(webhookUrl)).toBe(404);
  });
});
