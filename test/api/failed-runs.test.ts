import { callApi } from '../support/api-call.js';
import { ScriptedWorkflow, type Step, type WorkflowScript } from '../support/scripted-workflow.js';
import { startServer, type TestServer } from '../support/server.js';

interface Entry {
  readonly dlqId: string;
  readonly workflowRunId: string;
  readonly failureFunctionState?: string;
  readonly [field: string]: unknown;
}

interface Page {
  readonly messages: readonly Entry[];
  readonly cursor?: string;
}

let server: TestServer;
let workflow: ScriptedWorkflow;
/** Names of steps that fail. */
let broken: Set<string>;

const boom = { status: 500, body: '{"message":"boom"}' };
const run = (stepId: number, stepName: string, more: Partial<Step> = {}): Step => ({
  stepId,
  stepName,
  stepType: 'Run',
  concurrent: 1,
  out: JSON.stringify(stepName),
  ...more,
});

/** Runs these steps one after the other. */
const sequence =
  (...names: readonly string[]): WorkflowScript =>
  async ({ role, runId, steps }, { submit, end }) => {
    if (role !== 'step') return undefined;
    const name = names[steps.length];
    if (name === undefined) await end.call(workflow, runId, 'done');
    else if (broken.has(name)) return boom;
    else await submit.call(workflow, runId, [run(steps.length + 1, name)]);
    return undefined;
  };

beforeAll(async () => {
  server = await startServer();
  workflow = await ScriptedWorkflow.start(server, 'orders');
});

beforeEach(async () => {
  broken = new Set();
  workflow.script = sequence('one', 'two', 'three');
  await api('DELETE', '');
});

afterAll(async () => {
  await server.remove();
  await workflow.stop();
});

const api = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  callApi(server, method, `/v2/workflows/dlq${path}`, headers, body);
const list = async (query = '') => (await api('GET', query)).body as Page;
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

/** The failed run, once it is one. */
async function letterOf(runId: string): Promise<Entry> {
  for (;;) {
    const [entry] = (await list(`?workflowRunId=${runId}`)).messages;
    if (entry !== undefined) return entry;
    await pause();
  }
}

async function fail(headers: Record<string, string> = {}, body?: string): Promise<Entry> {
  return letterOf(await workflow.trigger(headers, body));
}

describe('a run that failed', () => {
  it('is a letter with all that is known of it', async () => {
    broken.add('two');
    const entry = await fail({
      'svc-retries': '1',
      'svc-retry-delay': '1',
      'svc-label': 'blue,green',
      'svc-forward-x-tenant': 'acme',
      'svc-flow-control-key': 'k',
      'svc-flow-control-value': 'parallelism=2, rate=3, period=1m',
    });
    expect(entry).toEqual({
      messageId: expect.stringMatching(/^msg_/),
      dlqId: expect.stringMatching(/^\d{13}-\d+$/),
      url: workflow.url,
      method: 'POST',
      header: expect.objectContaining({
        'Content-Type': ['application/json'],
        'Svc-Workflow-Runid': [entry.workflowRunId],
        'Svc-Workflow-Url': [workflow.url],
        'X-Tenant': ['acme'],
      }),
      body: '{"n":1}',
      maxRetries: 1,
      notBefore: expect.any(Number),
      createdAt: expect.any(Number),
      callerIP: '127.0.0.1',
      workflowRunId: expect.stringMatching(/^wfr_/),
      workflowCreatedAt: expect.any(Number),
      workflowUrl: workflow.url,
      flowControlKey: 'k',
      parallelism: 2,
      rate: 3,
      period: 60,
      responseStatus: 500,
      responseHeader: expect.objectContaining({ 'Svc-Workflow-Sdk-Version': ['1'] }),
      responseBody: '{"message":"boom"}',
      label: 'blue',
      labels: ['blue', 'green'],
    });
    expect(workflow.deliveriesOf(entry.workflowRunId).map(({ retried }) => retried)).toEqual([
      0, 0, 1,
    ]);
    expect(await api('GET', `/${entry.dlqId}`)).toMatchObject({ status: 200, body: entry });
    const bySdk = await callApi(server, 'GET', '/v2/dlq?source=workflow');
    expect(bySdk.body).toEqual({ messages: [entry] });
    expect((await callApi(server, 'GET', '/v2/dlq')).body).toEqual({ messages: [] });
  });
});
