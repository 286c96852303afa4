import { createWorkflow } from '@upstash/workflow/cloudflare';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { freePort } from '../support/program/server-process.js';
import { silenceConsole } from '../support/program/silent-console.js';
import { startWorkflowStage, type WorkflowStage } from './stage.js';

silenceConsole();

interface CallPayload {
  readonly url: string;
  readonly retries?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

const calling = createWorkflow<CallPayload, unknown>(async (context) => {
  const { url, retries = 0, body = '', headers = {} } = context.requestPayload;
  const { status, body: answered } = await context.call('third party', {
    url,
    method: 'POST',
    body,
    headers,
    retries,
    retryDelay: '50',
  });
  return { status, answered };
});

let stage: WorkflowStage;
let third: RecordingEndpoint;

beforeAll(async () => {
  stage = await startWorkflowStage({ calling });
});

beforeEach(async () => {
  third = await RecordingEndpoint.start();
});

afterEach(async () => {
  await third.stop();
  expect(stage.app.contradictions()).toEqual([]);
});

afterAll(() => stage.end());

/** What a run made of its call, and how often the application and the third party were called. */
async function call(payload: CallPayload) {
  const runId = await stage.app.trigger('calling', {
    body: payload,
    headers: { 'X-Tenant': 'acme' },
  });
  const { state, response } = await stage.app.outcome(runId);
  await stage.quiet();
  const roles = stage.app.callsOf(runId).map(({ role }) => role);
  return { runId, state, response, roles, requests: third.requests.length };
}

/** The start of the run, the third party's answer, and the step that it becomes. */
const oneCall = ['step', 'callResult', 'step'];

describe('a call of a third party', () => {
  it('brings its answer, and tells it nothing of the run', async () => {
    third.answer(() => ({
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: '{"q":"ü"}',
    }));
    const called = await call({
      url: `${third.url}/x?a=1`,
      body: '{"hello":"world"}',
      headers: { 'X-Key': 'secret' },
    });
    expect(called).toMatchObject({
      state: 'RUN_SUCCESS',
      response: { status: 201, answered: { q: 'ü' } },
      roles: oneCall,
      requests: 1,
    });
    const [request] = third.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/x?a=1' });
    expect(JSON.parse(String(request?.body))).toEqual({ hello: 'world' });
    expect(request?.headers).toMatchObject({ 'x-key': 'secret' });
    expect(Object.keys(request?.headers ?? {}).filter((name) => /workflow/.test(name))).toEqual([]);
    expect(request?.headers).not.toHaveProperty('x-tenant');
    // The application gets the answer with the run's own headers.
    const [answer] = stage.app.callsOf(called.runId, 'callResult');
    expect(answer?.headers).toMatchObject({ 'x-tenant': 'acme' });
    expect(answer?.headers).not.toHaveProperty('upstash-workflow-sdk-version');
  });

  it('hands a refusal to the workflow, which goes on', async () => {
    third.answer(() => ({ status: 404, headers: { 'content-type': 'text/plain' }, body: 'no' }));
    expect(await call({ url: third.url })).toMatchObject({
      state: 'RUN_SUCCESS',
      response: { status: 404, answered: 'no' },
      roles: oneCall,
      requests: 1,
    });
  });

  it('is tried again as often as it says, and tells only how it ended', async () => {
    third.answerInTurn({ status: 500 }, { status: 503 }, { status: 200, body: 'at last' });
    expect(await call({ url: third.url, retries: 4 })).toMatchObject({
      response: { status: 200, answered: 'at last' },
      roles: oneCall,
      requests: 3,
    });
    third.answerInTurn({ status: 500, body: 'never' });
    expect(await call({ url: third.url, retries: 1 })).toMatchObject({
      response: { status: 500, answered: 'never' },
      roles: oneCall,
      requests: 5,
    });
  });

  it('that no server answers says so, with a status that is none', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    expect(await call({ url, retries: 1 })).toMatchObject({
      state: 'RUN_SUCCESS',
      response: { status: 0, answered: expect.stringContaining('ECONNREFUSED') },
      roles: oneCall,
      requests: 0,
    });
  });

  it('brings bytes that are no text as they are', async () => {
    const bytes = Buffer.from([0, 1, 127, 128, 200, 255]);
    third.answer(() => ({ headers: { 'content-type': 'image/png' }, body: bytes }));
    const { response } = await call({ url: third.url });
    expect(response).toEqual({ status: 200, answered: bytes.toString('latin1') });
  });
});
