import { callApi } from '../support/clients/api-call.js';
import { type RecordedRequest, RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../support/server.js';

interface DeliveredEntry {
  readonly messageId: string;
  readonly body: string;
  readonly callType: string;
}

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
});

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

afterAll(() => server.remove());

const entriesOf = ({ body }: RecordedRequest) => JSON.parse(String(body)) as DeliveredEntry[];

const textOf = (entry: DeliveredEntry | undefined) =>
  Buffer.from(entry?.body ?? '', 'base64').toString();

async function untilOver(runId: string) {
  while ((await callApi(server, 'GET', `/v2/workflows/runs/${runId}`)).status !== 404);
}

/** Every answer of an SDK to a step says which protocol it speaks. */
const done = {
  status: 200,
  headers: { 'Upstash-Workflow-Sdk-Version': '1' },
  body: '{"finishCondition":"success"}',
};

/** What the JavaScript client of version 0.2 says with every message of a run. */
const headersOfVersion02 = (runId: string, url: string, init: boolean) => ({
  'content-type': 'application/json',
  'upstash-method': 'POST',
  'upstash-workflow-init': String(init),
  'upstash-workflow-runid': runId,
  'upstash-workflow-url': url,
  'upstash-workflow-sdk-version': '1',
  'upstash-forward-upstash-workflow-sdk-version': '1',
  'upstash-feature-set': 'LazyFetch,InitialBody',
  'upstash-forward-x-tenant': 'acme',
  'upstash-retries': '1',
  'upstash-retry-delay': '50',
  'upstash-flow-control-key': 'old',
  'upstash-flow-control-value': 'parallelism=3',
  'upstash-failure-callback': url,
  'upstash-failure-callback-feature-set': 'LazyFetch,InitialBody',
  'upstash-failure-callback-retries': '1',
  'upstash-failure-callback-workflow-calltype': 'failureCall',
  'upstash-failure-callback-workflow-init': 'false',
  'upstash-failure-callback-workflow-runid': runId,
  'upstash-failure-callback-workflow-url': url,
  'upstash-failure-callback-forward-x-tenant': 'acme',
  'upstash-failure-callback-forward-upstash-workflow-is-failure': 'true',
  'upstash-failure-callback-forward-upstash-workflow-failure-callback': 'true',
});

const batch = (items: readonly unknown[]) =>
  callApi(
    server,
    'POST',
    '/v2/batch',
    { 'content-type': 'application/json' },
    JSON.stringify(items),
  );

describe('a client of version 0.2, which configures every step', () => {
  const step = (stepId: number, out: string) =>
    JSON.stringify({ stepId, stepName: `step ${stepId}`, stepType: 'Run', out, concurrent: 1 });

  it('runs to its end', async () => {
    const runId = 'wfr_version-02';
    const url = `${endpoint.url}/wf`;
    endpoint.answer(async (request) => {
      const { length } = entriesOf(request);
      if (length < 3) {
        const headers = headersOfVersion02(runId, url, false);
        await batch([{ destination: url, headers, body: step(length, `"${length}"`) }]);
      } else {
        const path = `/v2/workflows/runs/${runId}?cancel=false`;
        await callApi(server, 'DELETE', path, {}, '"over"');
      }
      return done;
    });
    const headers = headersOfVersion02(runId, url, true);
    const started = await batch([{ destination: url, headers, body: '{"n":1}' }]);
    const [{ messageId = '' } = {}] = started.body as { messageId?: string }[];
    const calls = await endpoint.received(3);
    expect(calls.map((call) => entriesOf(call).length)).toEqual([1, 2, 3]);
    const last = calls[2];
    expect(last?.headers).toMatchObject({ 'x-tenant': 'acme', 'upstash-workflow-runid': runId });
    const entries = last === undefined ? [] : entriesOf(last);
    expect(entries[0]).toMatchObject({ messageId, callType: 'step' });
    expect(entries.map(textOf)).toEqual(['{"n":1}', step(1, '"1"'), step(2, '"2"')]);
    await untilOver(runId);
  });

  it('gets the failure if a step asked for it, and is tried again as that step asked', async () => {
    const runId = 'wfr_version-02-fails';
    const url = `${endpoint.url}/wf`;
    endpoint.answer(async (request) => {
      if (request.headers['upstash-workflow-failure-callback'] !== undefined) return done;
      const { length } = entriesOf(request);
      if (length > 1) return { status: 500, body: '{"message":"boom"}' };
      const headers = headersOfVersion02(runId, url, false);
      await batch([{ destination: url, headers, body: step(length, `"${length}"`) }]);
      return done;
    });
    // The first message says nothing of a failure callback, as a plain trigger did.
    const headers = Object.fromEntries(
      Object.entries(headersOfVersion02(runId, url, true)).filter(
        ([name]) => !name.startsWith('upstash-failure-callback'),
      ),
    );
    await batch([{ destination: url, headers, body: '{"n":1}' }]);
    const calls = await endpoint.received(4);
    expect(calls.map(({ headers: { 'upstash-retried': retried } }) => retried)).toEqual([
      '0',
      '0',
      '1',
      '0',
    ]);
    const failure = calls[3];
    expect(failure?.headers).toMatchObject({
      'x-tenant': 'acme',
      'upstash-workflow-runid': runId,
      'upstash-workflow-is-failure': 'true',
    });
    expect(JSON.parse(String(failure?.body))).toMatchObject({
      status: 500,
      workflowRunId: runId,
      sourceBody: Buffer.from('{"n":1}').toString('base64'),
    });
  });
});

describe('the client for Python', () => {
  const headers = (runId: string, url: string, init: boolean) => ({
    'Content-Type': 'application/json',
    'Upstash-Method': 'POST',
    'Upstash-Workflow-Init': String(init),
    'Upstash-Workflow-RunId': runId,
    'Upstash-Workflow-Url': url,
    'Upstash-Workflow-Sdk-Version': '1',
    'Upstash-Forward-Upstash-Workflow-Sdk-Version': '1',
    'Upstash-Feature-Set': 'LazyFetch,InitialBody,WF_DetectTrigger',
    'Upstash-Retries': '2',
    'Upstash-Forward-X-Tenant': 'acme',
    // The client sends these though it names no failure callback.
    'Upstash-Failure-Callback-Retries': '2',
    'Upstash-Failure-Callback-Forward-X-Tenant': 'acme',
  });

  /** Fields that a step does not use are there, as null. */
  const step = (stepId: number, fields: Record<string, unknown> = {}) => ({
    stepId,
    stepName: `step ${stepId}`,
    stepType: 'Run',
    out: null,
    concurrent: 1,
    targetStep: null,
    sleepFor: null,
    sleepUntil: null,
    callUrl: null,
    callMethod: null,
    callBody: null,
    callHeaders: null,
    waitEventId: null,
    timeout: null,
    waitTimeout: null,
    method: null,
    ...fields,
  });

  it('begins by a publish, sleeps, and ends without a body', async () => {
    const runId = 'wfr_python';
    const url = `${endpoint.url}/wf`;
    endpoint.answer(async (request) => {
      const { length } = entriesOf(request);
      const said = headers(runId, url, false);
      if (length === 1) {
        await batch([
          { destination: url, headers: said, body: JSON.stringify(step(1, { out: '1' })) },
        ]);
      } else if (length === 2) {
        const body = JSON.stringify(step(2, { stepType: 'SleepFor', sleepFor: 1 }));
        await batch([
          { destination: url, queue: null, headers: { ...said, 'Upstash-Delay': '1s' }, body },
        ]);
      } else await callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`);
      return done;
    });
    const started = await callApi(
      server,
      'POST',
      `/v2/publish/${url}`,
      headers(runId, url, true),
      '{"n":1}',
    );
    expect(started).toMatchObject({ status: 200, body: { messageId: expect.any(String) } });
    const calls = await endpoint.received(3);
    expect(calls.map((call) => entriesOf(call).length)).toEqual([1, 2, 3]);
    expect((calls[2]?.at ?? 0) - (calls[1]?.at ?? 0)).toBeGreaterThanOrEqual(1000);
    await untilOver(runId);
    // A plan's null target is none, and neither is a result's.
    expect(textOf(entriesOf(calls[2] as RecordedRequest)[1])).toContain('"targetStep":null');
  });

  it('is delivered every list, however large: it fetches none', async () => {
    const runId = 'wfr_python-large';
    const url = `${endpoint.url}/wf`;
    endpoint.answer(async () => {
      await callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`);
      return done;
    });
    const payload = 'x'.repeat(2 * 1024 * 1024);
    await callApi(server, 'POST', `/v2/publish/${url}`, headers(runId, url, true), payload);
    const [call] = await endpoint.received(1);
    expect(textOf(entriesOf(call as RecordedRequest)[0])).toBe(payload);
    await untilOver(runId);
  });

  it('calls a third party', async () => {
    const runId = 'wfr_python-calls';
    const url = `${endpoint.url}/wf`;
    const third = `${endpoint.url}/third`;
    const call = {
      'Content-Type': 'application/json',
      'Upstash-Method': 'PUT',
      'Upstash-Workflow-Init': 'false',
      'Upstash-Workflow-RunId': runId,
      'Upstash-Workflow-Url': url,
      'Upstash-Workflow-CallType': 'toCallback',
      'Upstash-Feature-Set': 'WF_NoDelete,InitialBody',
      'Upstash-Retries': '0',
      'Upstash-Failure-Callback-Retries': '2',
      'Upstash-Failure-Callback-Forward-X-Tenant': 'acme',
      'Upstash-Forward-X-Third': 'yes',
      'Upstash-Callback': url,
      'Upstash-Callback-Retries': '2',
      'Upstash-Callback-Feature-Set': 'LazyFetch,InitialBody',
      'Upstash-Callback-Workflow-RunId': runId,
      'Upstash-Callback-Workflow-CallType': 'fromCallback',
      'Upstash-Callback-Workflow-Init': 'false',
      'Upstash-Callback-Workflow-Url': url,
      'Upstash-Callback-Forward-X-Tenant': 'acme',
      'Upstash-Callback-Forward-Upstash-Workflow-Callback': 'true',
      'Upstash-Callback-Forward-Upstash-Workflow-StepId': '1',
      'Upstash-Callback-Forward-Upstash-Workflow-StepName': 'third',
      'Upstash-Callback-Forward-Upstash-Workflow-StepType': 'Call',
      'Upstash-Callback-Forward-Upstash-Workflow-Concurrent': '1',
      'Upstash-Callback-Forward-Upstash-Workflow-ContentType': 'application/json',
    };
    endpoint.answer(async ({ url: path, headers: delivered, body }) => {
      if (path === '/third') return { status: 201, body: 'made' };
      if (delivered['upstash-workflow-callback'] === 'true') {
        const { status } = JSON.parse(String(body)) as { status: number };
        const out = JSON.stringify({ status, body: 'made', header: {} });
        const result = { ...step(1, { stepType: 'Call', out }), stepName: 'third' };
        const said = headers(runId, url, false);
        await callApi(server, 'POST', `/v2/publish/${url}`, said, JSON.stringify(result));
      } else if ((JSON.parse(String(body)) as unknown[]).length === 1) {
        await batch([{ destination: third, headers: call, body: 'ask' }]);
      } else await callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`);
      return done;
    });
    await callApi(server, 'POST', `/v2/publish/${url}`, headers(runId, url, true), '{}');
    const [, thirdCall, delivered, last] = await endpoint.received(4);
    expect(thirdCall).toMatchObject({
      method: 'PUT',
      url: '/third',
      headers: { 'x-third': 'yes' },
    });
    expect(thirdCall?.headers).not.toHaveProperty('x-tenant');
    expect(delivered?.headers).toMatchObject({ 'x-tenant': 'acme' });
    expect(delivered?.headers).not.toHaveProperty('upstash-workflow-sdk-version');
    expect(textOf(entriesOf(last as RecordedRequest)[1])).toContain('"stepName":"third"');
    await untilOver(runId);
  });

  it('waits for an event', async () => {
    const runId = 'wfr_python-waits';
    const url = `${endpoint.url}/wf`;
    endpoint.answer(async (request) => {
      if (entriesOf(request).length === 1) {
        const said = headers(runId, url, false);
        const wait = {
          url,
          timeout: '1h',
          timeoutBody: null,
          timeoutUrl: url,
          timeoutHeaders: Object.fromEntries(
            Object.entries(said).map(([name, value]) => [name, [value]]),
          ),
          step: { stepId: 1, stepType: 'Wait', stepName: 'w', concurrent: 1, targetStep: null },
        };
        await callApi(server, 'POST', '/v2/wait/python.event', said, JSON.stringify(wait));
      } else await callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`);
      return done;
    });
    await callApi(server, 'POST', `/v2/publish/${url}`, headers(runId, url, true), '{}');
    await endpoint.received(1);
    for (;;) {
      const { status, body } = await callApi(server, 'POST', '/v2/notify/python.event', {}, 'news');
      expect(status).toBe(201);
      if ((body as unknown[]).length === 1) break;
    }
    const calls = await endpoint.received(2);
    await untilOver(runId);
    expect(JSON.parse(textOf(entriesOf(calls[1] as RecordedRequest)[1]))).toMatchObject({
      stepId: 1,
      stepType: 'Wait',
      waitEventId: 'python.event',
      out: Buffer.from('news').toString('base64'),
    });
  });
});
