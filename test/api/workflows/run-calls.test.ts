import { redacted } from '../../../src/messaging/messages/redaction.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';
import {
  asSdk,
  bodyOf,
  entriesOf,
  type Headers,
  idOf,
  RunEndpoint,
  runHeaders,
  step,
} from '../../support/workflows/run-endpoint.js';

let server: TestServer;
let endpoint: RunEndpoint;
let third: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RunEndpoint.start(server);
  third = await RecordingEndpoint.start();
});

afterEach(async () => {
  await endpoint.stop();
  await third.stop();
});

const messageId = expect.stringMatching(/^msg_\w+$/);
/** An item of a batch that calls a third party, as an SDK spells it. */
const call = (headers: Headers = {}, without: readonly string[] = []) => {
  const all = {
    ...endpoint.callHeaders(),
    'svc-method': 'PUT',
    'svc-retries': '0',
    'svc-timeout': '30',
    'svc-forward-x-h': '1',
    ...headers,
  };
  const kept = Object.entries(all).filter(([name]) => !without.includes(name));
  return { destination: `${third.url}/x`, headers: Object.fromEntries(kept), body: 'B' };
};

describe('a call', () => {
  it('reaches only the third party, and its answer goes to the endpoint as a step', async () => {
    third.answer(() => ({ status: 201, headers: { 'content-type': 'text/plain' }, body: 'Q' }));
    await endpoint.init({ 'svc-forward-x-tenant': 'acme', 'svc-label': 'blue' });
    await endpoint.received(1);
    const answer = await endpoint.batch(call());
    expect(answer).toMatchObject({ status: 200, body: [{ messageId }] });
    const [called] = await third.received(1);
    expect(called).toMatchObject({ method: 'PUT', url: '/x', headers: { 'x-h': '1' } });
    expect(called?.body.toString()).toBe('B');
    const names = Object.keys(called?.headers ?? {});
    expect(names.filter((name) => /workflow|tenant|label/.test(name))).toEqual([]);
    const delivery = await endpoint.received(2);
    expect(runHeaders(delivery)).toEqual({
      'svc-workflow-runid': endpoint.runId,
      'svc-workflow-url': endpoint.url,
      'svc-workflow-createdat': expect.stringMatching(/^\d{13}$/),
      'svc-workflow-init': 'false',
      'svc-workflow-calltype': 'fromCallback',
      'svc-workflow-callback': 'true',
      'svc-workflow-stepid': '1',
      'svc-workflow-stepname': 'third',
      'svc-workflow-steptype': 'Call',
      'svc-workflow-concurrent': '1',
      'svc-workflow-contenttype': 'application/json',
      'svc-label': 'blue',
      'x-tenant': 'acme',
    });
    expect(bodyOf(delivery)).toMatchObject({
      status: 201,
      header: { 'Content-Type': ['text/plain'] },
      body: Buffer.from('Q').toString('base64'),
      maxRetries: 0,
      sourceMessageId: idOf(answer),
      url: `${third.url}/x`,
      method: 'PUT',
      sourceBody: Buffer.from('B').toString('base64'),
    });
  });

  it('continues with the result that the endpoint makes of the answer', async () => {
    await endpoint.init({}, 'payload');
    await endpoint.batch(call());
    await endpoint.received(2);
    const result = step(1, { stepName: 'third', stepType: 'Call' });
    await endpoint.publish(endpoint.headers(false), result);
    const entries = entriesOf(await endpoint.received(3));
    expect(entries).toEqual(['payload', JSON.stringify(result)]);
  });

  it('is made once, however often it is requested', async () => {
    await endpoint.init();
    const first = await endpoint.batch(call());
    const again = await endpoint.batch(call());
    expect(again).toMatchObject({ status: 200, body: first.body });
    await endpoint.received(2);
    expect(third.requests).toHaveLength(1);
  });

  it('reports a failed third party like any other', async () => {
    third.answer(() => ({ status: 500, body: 'broken' }));
    await endpoint.init();
    await endpoint.batch(call({ 'svc-retries': '1', 'svc-retry-delay': '1' }));
    expect(bodyOf(await endpoint.received(2))).toMatchObject({ status: 500, retried: 1 });
    expect(third.requests).toHaveLength(2);
    expect(endpoint.requests).toHaveLength(2);
  });

  it('is retried even if the third party forbids it in the way of endpoints', async () => {
    const inVain = { status: 489, headers: { 'svc-nonretryable-error': 'true' } };
    third.answer(() => inVain);
    await endpoint.init();
    await endpoint.batch(call({ 'svc-retries': '1', 'svc-retry-delay': '1' }));
    expect(bodyOf(await endpoint.received(2))).toMatchObject({ status: 489, retried: 1 });
    expect(third.requests).toHaveLength(2);
  });

  it('delivers the answer with its own options, or else with those of the run', async () => {
    await endpoint.init({ 'svc-retries': '7' });
    await endpoint.batch(call({ 'svc-callback-delay': '0s' }));
    const { headers } = await endpoint.received(2);
    const id = String(headers['svc-message-id']);
    expect(await endpoint.message(id)).toMatchObject({ maxRetries: 7 });
    await endpoint.batch(
      call({
        'svc-callback-forward-svc-workflow-stepid': '2',
        'svc-callback-retries': '1',
        'svc-callback-failure-callback': endpoint.url,
        'svc-callback-failure-callback-forward-x-a': '1',
        'svc-failure-callback-retries': '1',
      }),
    );
    const second = String((await endpoint.received(3)).headers['svc-message-id']);
    expect(await endpoint.message(second)).toMatchObject({ maxRetries: 1 });
  });

  it('redacts what its run redacts', async () => {
    await endpoint.init({ 'svc-redact-fields': 'body', 'svc-label': 'blue' });
    const id = idOf(await endpoint.batch(call({ 'svc-delay': '1h' })));
    expect(await endpoint.message(id)).toMatchObject({
      body: expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/),
      labels: ['blue'],
    });
  });

  it('redacts the answer if its run does, in the logs of messages and of runs', async () => {
    third.answer(() => ({ headers: { 'x-answered': 'hush-header' }, body: 'hush-body' }));
    await endpoint.init({ 'svc-redact-fields': 'body,header' });
    await endpoint.received(1);
    const id = idOf(await endpoint.batch(call()));
    await endpoint.received(2);
    for (const path of [`/v2/logs?messageId=${id}`, '/v2/workflows/messageLogs?count=100']) {
      const text = JSON.stringify((await callApi(server, 'GET', path)).body);
      expect(text).toContain(redacted('hush-body'));
      expect(text).toContain(redacted('hush-header'));
      expect(text).not.toMatch(/hush-(body|header)/);
    }
    const found = await callApi(server, 'GET', '/v2/logs?contains=hush-body');
    expect(found.body).toMatchObject({ logs: [] });
  });

  it('of a run that has ended is refused with 400', async () => {
    expect(await endpoint.batch(call())).toMatchObject({ status: 400 });
    expect(third.requests).toEqual([]);
  });

  it.each<[Headers, readonly string[], number, string]>([
    [{}, ['svc-callback'], 422, 'Svc-Callback is missing'],
    [{}, ['svc-workflow-runid'], 422, 'Svc-Workflow-Runid is missing'],
    ...['stepid', 'stepname', 'steptype', 'concurrent', 'contenttype'].map(
      (name): [Headers, readonly string[], number, string] => [
        {},
        [`svc-callback-forward-svc-workflow-${name}`],
        422,
        'is missing',
      ],
    ),
    [{ 'svc-callback-forward-svc-workflow-stepid': '0' }, [], 422, 'is "0", which is no stepid'],
    [{ 'svc-callback-forward-svc-workflow-stepid': 'x' }, [], 422, 'is "x", which is no stepid'],
    [{ 'svc-callback-forward-svc-workflow-concurrent': '-1' }, [], 422, 'is no concurrent'],
    [{ 'svc-callback-forward-svc-workflow-stepname': '' }, [], 422, 'is no stepname'],
    [{ 'svc-retries': 'x' }, [], 422, 'Svc-Retries'],
    [{ 'svc-retries': '1001' }, [], 412, 'Svc-Retries'],
    [{ 'svc-callback-retries': '1001' }, [], 412, 'Svc-Callback-Retries'],
    [{ 'svc-deduplication-id': 'x' }, [], 422, 'Svc-Deduplication-Id means nothing'],
    [{ 'svc-queue-name': 'line' }, [], 422, 'Svc-Queue-Name means nothing'],
    [{ 'svc-cron': '* * * * *' }, [], 422, 'Svc-Cron means nothing'],
  ])('with %j and without %j is refused', async (headers, without, status, reason) => {
    await endpoint.init();
    const error = expect.stringContaining(reason);
    expect(await endpoint.batch(call(headers, without))).toMatchObject({ status, body: { error } });
  });

  it('to a forbidden address is refused differently than for a run that has ended', async () => {
    await endpoint.init();
    const answer = await endpoint.batch({ ...call(), destination: 'http://169.254.169.254/' });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('the destination') },
    });
  });
});

/** The headers and body with which an SDK requests a child. */
const invocation = (childId: string, changes: object = {}, headers: Headers = {}) => ({
  headers: {
    ...endpoint.headers(true),
    'svc-workflow-runid': childId,
    'svc-workflow-invoke': 'true',
    'svc-forward-svc-workflow-invoke-count': '1',
    ...headers,
  },
  body: JSON.stringify({
    body: '{"q":1}',
    headers: { 'Svc-Workflow-Runid': [endpoint.runId] },
    workflowRunId: endpoint.runId,
    workflowRunCreatedAt: 1_767_000_000_000,
    workflowUrl: endpoint.url,
    step: { stepId: 1, stepName: 'inv', stepType: 'Invoke', concurrent: 1 },
    ...changes,
  }),
});
/** Requests a child as an SDK does. */
const invoke = (childId: string, changes: object = {}, headers: Headers = {}) => {
  const asked = invocation(childId, changes, headers);
  return endpoint.publish(asked.headers, asked.body);
};
const end = (runId: string, response: string) =>
  callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`, {}, response);

describe('an invocation', () => {
  it('starts a child, and the parent continues when the child ends', async () => {
    const childId = `${endpoint.runId}_child`;
    await endpoint.init({}, 'payload');
    await endpoint.received(1);
    const answer = await invoke(childId);
    expect(answer).toMatchObject({ status: 200, body: { messageId } });
    const child = await endpoint.received(2);
    expect(entriesOf(child)).toEqual(['{"q":1}']);
    expect(child.headers['svc-message-id']).toBe(idOf(answer));
    expect(runHeaders(child)).toMatchObject({
      'svc-workflow-runid': childId,
      'svc-workflow-init': 'true',
      'svc-workflow-invoke-count': '1',
    });
    expect((await end(childId, '{"a":1}')).status).toBe(200);
    const parent = await endpoint.received(3);
    expect(runHeaders(parent)).toMatchObject({ 'svc-workflow-runid': endpoint.runId });
    const [, ended] = entriesOf(parent);
    expect(JSON.parse(ended ?? '')).toEqual({
      stepId: 1,
      stepName: 'inv',
      stepType: 'Invoke',
      concurrent: 1,
      out: JSON.stringify({
        workflowRunId: childId,
        body: '{"a":1}',
        isCanceled: false,
        isFailed: false,
      }),
    });
  });

  it('starts one child, however often it is requested', async () => {
    await endpoint.init();
    const first = await invoke(`${endpoint.runId}_a`);
    expect(await invoke(`${endpoint.runId}_b`)).toMatchObject({ status: 200, body: first.body });
    await endpoint.received(2);
    expect(endpoint.requests).toHaveLength(2);
  });

  it('may have no payload', async () => {
    await endpoint.init();
    await endpoint.received(1);
    await invoke(`${endpoint.runId}_child`, { body: null });
    expect(entriesOf(await endpoint.received(2))).toEqual(['']);
  });

  it('of a run that has ended is refused with 400', async () => {
    expect(await invoke(`${endpoint.runId}_child`)).toMatchObject({ status: 400 });
    expect(endpoint.requests).toEqual([]);
  });

  it('of a run that was already started is refused, so that its end is reported once', async () => {
    await endpoint.init();
    expect(await invoke(endpoint.runId)).toMatchObject({ status: 409 });
  });

  it('of a run that the same batch invokes is refused: its step would wait forever', async () => {
    await endpoint.init();
    const childId = `${endpoint.runId}_child`;
    const other = { stepId: 2, stepName: 'other', stepType: 'Invoke', concurrent: 1 };
    const destination = endpoint.url;
    const both = [invocation(childId), invocation(childId, { step: other })];
    const answer = await endpoint.batch(...both.map((each) => ({ destination, ...each })));
    expect(answer).toMatchObject({
      status: 409,
      body: { error: `item 1: workflow run ${childId} has been started before` },
    });
    await endpoint.received(1);
    const why = await callApi(server, 'GET', `/v2/workflows/runs/${endpoint.runId}/why`);
    expect(why.body).toMatchObject({ reason: 'in_flight', waits: [{ stepName: 'init' }] });
    expect(await invoke(childId)).toMatchObject({ status: 200, body: { messageId } });
  });

  it('counts as the first start for a start in the same batch', async () => {
    await endpoint.init();
    const childId = `${endpoint.runId}_child`;
    const destination = endpoint.url;
    const start = { headers: { ...endpoint.headers(true), 'svc-workflow-runid': childId } };
    const { body } = await endpoint.batch(
      { destination, ...invocation(childId) },
      { destination, ...start },
    );
    const [first, second] = body as { messageId: string }[];
    expect(second).toEqual({
      messageId: first?.messageId,
      url: endpoint.url,
      deduplicated: true,
    });
    await endpoint.received(2);
    await end(childId, '1');
    expect(entriesOf(await endpoint.received(3))).toHaveLength(2);
  });

  it.each<[object, Headers, number, string]>([
    [{ body: { a: 1 } }, {}, 422, 'body of the invocation must be a string'],
    [{ workflowRunId: null }, {}, 422, 'workflowRunId of the invocation is missing'],
    [{ workflowRunId: '' }, {}, 422, 'workflowRunId of the invocation must have'],
    [{ step: null }, {}, 422, 'the step of the invocation: a step must be a JSON object'],
    [{ step: step(0, { targetStep: 1 }) }, {}, 422, 'must not be a plan'],
    [{}, { 'svc-forward-svc-workflow-invoke-count': '101' }, 412, 'must be at most 100'],
    [{}, { 'svc-forward-svc-workflow-invoke-count': 'x' }, 422, 'must be a whole number'],
    [{}, { 'svc-retries': 'x' }, 422, 'Svc-Retries'],
    [{}, { 'svc-workflow-init': 'false' }, 422, 'Svc-Workflow-Invoke needs Workflow-Init'],
    [{}, { 'svc-workflow-trigger-by-sdk': 'true' }, 422, 'a run is either invoked or taken over'],
  ])('with %j and %j is refused', async (changes, headers, status, reason) => {
    await endpoint.init();
    const error = expect.stringContaining(reason);
    const answer = await invoke(`${endpoint.runId}_child`, changes, headers);
    expect(answer).toMatchObject({ status, body: { error } });
  });

  it('is refused if it is not JSON', async () => {
    await endpoint.init();
    const headers = { ...endpoint.headers(true), 'svc-workflow-invoke': 'true' };
    expect(await endpoint.publish(headers, 'x')).toMatchObject({ status: 422 });
  });

  it('that fails reports this to its parent', async () => {
    endpoint.answer(({ headers }) =>
      headers['svc-workflow-runid'] === endpoint.runId
        ? new Promise(() => undefined)
        : { ...asSdk, status: 489 },
    );
    await endpoint.init();
    await endpoint.received(1);
    await invoke(`${endpoint.runId}_child`, {}, { 'svc-retries': '0' });
    const [, ended] = entriesOf(await endpoint.received(3));
    expect(JSON.parse(JSON.parse(ended ?? '').out)).toEqual({
      workflowRunId: `${endpoint.runId}_child`,
      isCanceled: false,
      isFailed: true,
    });
  });
});
