import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';
import {
  asSdk,
  bodyOf,
  entriesOf,
  entry,
  type Headers,
  idOf,
  RunEndpoint,
  runHeaders,
  step,
} from '../../support/workflows/run-endpoint.js';

let server: TestServer;
let endpoint: RunEndpoint;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_RETRIES: '5' } });
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RunEndpoint.start(server);
});

afterEach(() => endpoint.stop());

const messageId = expect.stringMatching(/^msg_\w+$/);
const later = { 'svc-delay': '1h' };

describe('a run that an SDK starts', () => {
  it('is delivered to its endpoint with its payload and the headers of its starter', async () => {
    const answer = await endpoint.init({
      'svc-forward-x-tenant': 'acme',
      'svc-label': 'blue,green',
      'svc-forward-svc-message-id': 'msg_of_somebody_else',
      'svc-forward-content-type': 'text/plain',
    });
    expect(answer).toMatchObject({ status: 200, body: [{ messageId, url: endpoint.url }] });
    const request = await endpoint.received(1);
    expect(request).toMatchObject({ method: 'POST', url: '/wf' });
    expect(bodyOf(request)).toEqual([entry(idOf(answer), '{"n":1}')]);
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'svc-message-id': idOf(answer),
      'svc-retried': '0',
      'svc-caller-ip': '127.0.0.1',
    });
    expect(runHeaders(request)).toEqual({
      'svc-workflow-sdk-version': '1',
      'svc-workflow-runid': endpoint.runId,
      'svc-workflow-url': endpoint.url,
      'svc-workflow-createdat': expect.stringMatching(/^\d{13}$/),
      'svc-workflow-init': 'true',
      'svc-label': 'blue,green',
      'x-tenant': 'acme',
    });
  });

  it('is started by a publish in the same way, and in any dialect', async () => {
    const headers = Object.entries(endpoint.headers(true)).map(([name, value]) => [
      name.replaceAll('svc-', 'upstash-'),
      value,
    ]);
    const answer = await endpoint.publish(Object.fromEntries(headers));
    expect(answer).toMatchObject({ status: 200, body: { messageId, url: endpoint.url } });
    const request = await endpoint.received(1);
    expect(bodyOf(request)).toEqual([entry(idOf(answer), '')]);
    expect(request.headers).toMatchObject({
      'upstash-workflow-runid': endpoint.runId,
      'upstash-workflow-init': 'true',
      'upstash-workflow-sdk-version': '1',
    });
  });

  it('is started once, however often it is requested', async () => {
    const first = await endpoint.publish(endpoint.headers(true), 'a');
    const again = await endpoint.publish(endpoint.headers(true), 'b');
    const body = { messageId: idOf(first), url: endpoint.url, deduplicated: true };
    expect(again).toMatchObject({ status: 202, body });
    expect((await endpoint.init()).body).toEqual([body]);
    await endpoint.submit(step(1));
    expect(entriesOf(await endpoint.received(2))[0]).toBe('a');
    expect(endpoint.requests).toHaveLength(2);
  });

  it('gets an id if it has none', async () => {
    const { 'svc-workflow-runid': _, ...headers } = endpoint.headers(true);
    await endpoint.publish(headers);
    expect((await endpoint.received(1)).headers['svc-workflow-runid']).toMatch(/^wfr_\w+$/);
  });

  it('is retried three times by default, whatever the default of messages', async () => {
    const id = idOf(await endpoint.init(later));
    expect(await endpoint.message(id)).toMatchObject({ maxRetries: 3 });
  });

  it('waits for its delay', async () => {
    const { notBefore, createdAt } = await endpoint.message(idOf(await endpoint.init(later)));
    expect(Number(notBefore) - Number(createdAt)).toBe(3_600_000);
  });

  it('is taken over by its endpoint, which sets its configuration', async () => {
    const first = idOf(await endpoint.init({ 'svc-forward-svc-workflow-unknown-sdk': 'true' }));
    expect((await endpoint.received(1)).headers['svc-workflow-unknown-sdk']).toBe('true');
    const takeover = { 'svc-workflow-trigger-by-sdk': 'true', 'svc-forward-x-tenant': 'acme' };
    const second = await endpoint.init(takeover);
    expect(second.body).toEqual([{ messageId, url: endpoint.url }]);
    expect(idOf(second)).not.toBe(first);
    const request = await endpoint.received(2);
    expect(bodyOf(request)).toEqual([entry(idOf(second), '{"n":1}')]);
    expect(request.headers).toMatchObject({ 'x-tenant': 'acme' });
    expect(request.headers).not.toHaveProperty('svc-workflow-unknown-sdk');
  });

  it('completes its first delivery by a takeover: the delivery is not repeated', async () => {
    const first = idOf(await endpoint.init({ 'svc-forward-svc-workflow-unknown-sdk': 'true' }));
    await endpoint.received(1);
    const second = idOf(await endpoint.init({ 'svc-workflow-trigger-by-sdk': 'true' }));
    const statusOf = async (id: string) =>
      (await callApi(server, 'GET', `/v2/messages/${id}`)).status;
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
    const { body } = await callApi(server, 'GET', `/v2/logs?messageId=${first}`);
    const states = ['DELIVERED', 'ACTIVE', 'CREATED'].map((state) => ({ state }));
    expect(body).toMatchObject({ logs: states });
  });
});

describe('a run that cannot be started', () => {
  it.each<[Headers, number, string]>([
    [{ 'svc-workflow-runid': '..' }, 400, 'Svc-Workflow-Runid must have no'],
    [{ 'svc-workflow-runid': 'wfr_a%2Fb' }, 400, 'Svc-Workflow-Runid must have no'],
    [{ 'svc-workflow-runid': 'ü€' }, 400, 'Svc-Workflow-Runid must have'],
    [{ 'svc-workflow-runid': 'r'.repeat(513) }, 400, 'Svc-Workflow-Runid must have'],
    [{ 'svc-workflow-url': 'app' }, 400, 'Svc-Workflow-Url must begin with http'],
    [{ 'svc-workflow-url': 'http://169.254.169.254/' }, 400, 'Svc-Workflow-Url'],
    [{ 'svc-workflow-sdk-version': '2' }, 400, 'Svc-Workflow-Sdk-Version must be 1'],
    [{ 'svc-workflow-calltype': 'toCallback' }, 400, 'Svc-Workflow-Calltype must be step'],
    [{ 'svc-workflow-calltype': 'failureCall' }, 400, 'Svc-Workflow-Calltype must be step'],
    [{ 'svc-workflow-trigger-by-sdk': 'yes' }, 400, 'Svc-Workflow-Trigger-By-Sdk must be'],
    [{ 'svc-workflow-run': '1' }, 400, 'Svc-Workflow-Run is no option of a workflow run'],
    [{ 'svc-method': 'PUT' }, 400, 'Svc-Method of a workflow must be POST'],
    [{ 'svc-retries': '1001' }, 412, 'Svc-Retries must be at most 1000'],
    [{ 'svc-failure-callback': 'x' }, 400, 'Svc-Failure-Callback must begin with http'],
    [{ 'svc-callback': 'https://example.com' }, 400, 'Svc-Callback means nothing'],
    [{ 'svc-queue-name': 'line' }, 400, 'Svc-Queue-Name means nothing for a workflow run'],
    [{ 'svc-cron': '* * * * *' }, 400, 'Svc-Cron means nothing for a workflow run'],
    [{ 'svc-method': 'GET' }, 400, 'Svc-Method of a workflow must be POST'],
    [{ 'svc-deduplication-id': 'x' }, 400, 'Svc-Deduplication-Id means nothing'],
    [{ 'svc-content-based-deduplication': 'true' }, 400, 'Svc-Content-Based-Deduplication means'],
    [{ 'svc-forward-svc-workflow-invoke-count': '101' }, 412, 'must be at most 100'],
    [{ 'svc-forward-svc-workflow-invoke-count': 'x' }, 400, 'must be a whole number'],
  ])('is refused for %j, and with it its batch', async (headers, status, reason) => {
    const refused = { status, body: { error: expect.stringContaining(reason) } };
    expect(await endpoint.init(headers)).toMatchObject(refused);
    const [[name = '', value = ''] = []] = Object.entries(headers);
    if (value === 'ü€') return;
    const published = await endpoint.publish({ ...endpoint.headers(true), [name]: value });
    expect(published).toMatchObject(refused);
  });

  it('is refused if it is started through a group, a queue or a schedule', async () => {
    const headers = endpoint.headers(true);
    const group = await endpoint.post('/v2/publish/orders', headers, '');
    expect(group).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('orders is the name of a URL group') },
    });
    const queue = await endpoint.post(`/v2/enqueue/line/${endpoint.url}`, headers, '');
    expect(queue).toMatchObject({ status: 400 });
    const cron = { ...headers, 'svc-cron': '* * * * *' };
    const schedule = await endpoint.post(`/v2/schedules/${endpoint.url}`, cron, '');
    expect(schedule).toMatchObject({ status: 400 });
    expect((await callApi(server, 'GET', '/v2/schedules')).body).toEqual([]);
  });
});

const run = (runId = expect.stringMatching(/^wfr_\w+$/) as unknown) => ({
  workflowRunId: runId,
  workflowCreatedAt: expect.any(Number),
});
const trigger = (headers: Headers = {}, body = '{"n":1}', query = '') =>
  endpoint.post(`/v2/trigger/${endpoint.url}${query}`, headers, body);

describe('a trigger', () => {
  it('starts a run as an SDK would, and returns its id and start time', async () => {
    const { status, body } = await trigger({
      'svc-forward-x-tenant': 'acme',
      'svc-label': 'blue',
      'content-type': 'text/plain',
    });
    expect({ status, body }).toEqual({ status: 200, body: run() });
    const { workflowRunId, workflowCreatedAt } = body as ReturnType<typeof run>;
    const request = await endpoint.received(1);
    expect(entriesOf(request)).toEqual(['{"n":1}']);
    expect(request.headers['content-type']).toBe('application/json');
    expect(runHeaders(request)).toEqual({
      'svc-workflow-sdk-version': '1',
      'svc-workflow-runid': workflowRunId,
      'svc-workflow-url': endpoint.url,
      'svc-workflow-createdat': String(workflowCreatedAt),
      'svc-workflow-init': 'true',
      'svc-label': 'blue',
      'x-tenant': 'acme',
    });
  });

  it('of a known run starts nothing, and returns when the run started', async () => {
    const headers = { 'svc-workflow-runid': endpoint.runId };
    const first = await trigger(headers);
    expect(first.body).toEqual(run(endpoint.runId));
    expect(await trigger(headers)).toMatchObject({
      status: 200,
      body: { ...(first.body as object), deduplicated: true },
    });
  });

  it('also takes its options from the query of the destination', async () => {
    const query = `?x=1&svc-workflow-runid=${endpoint.runId}&svc-forward-x-tenant=acme`;
    expect((await trigger({}, '', query)).body).toEqual(run(endpoint.runId));
    const request = await endpoint.received(1);
    expect(request.url).toBe('/wf?x=1');
    expect(request.headers['x-tenant']).toBe('acme');
  });

  it.each(['svc-workflow-unknown-sdk', 'svc-forward-svc-workflow-unknown-sdk'])(
    'with %s lets the endpoint take the run over',
    async (name) => {
      await trigger({ [name]: 'true' });
      expect((await endpoint.received(1)).headers['svc-workflow-unknown-sdk']).toBe('true');
    },
  );

  it.each<[string, Headers, string]>([
    [
      'is no workflow',
      {},
      'detected a non-workflow destination for trigger/invoke. ' +
        'make sure you are sending the request to the correct endpoint',
    ],
    [
      'has too old an SDK',
      { 'svc-workflow-sdk-version': '1' },
      'trigger rest api is only usable with sdk versions after v1.0.0 major version',
    ],
  ])('fails at once if the endpoint %s', async (_, headers, error) => {
    endpoint.answer(() => ({ headers, body: 'hello' }));
    await trigger();
    const failed = expect.arrayContaining([expect.objectContaining({ state: 'FAILED', error })]);
    let events: unknown;
    do {
      const logs = await callApi(server, 'GET', `/v2/events?url=${endpoint.url}`);
      ({ events } = logs.body as { events: unknown });
    } while (!JSON.stringify(events).includes('FAILED'));
    expect(events).toEqual(failed);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('has its failure reported in the form that the endpoint parses', async () => {
    endpoint.answer(({ headers }) =>
      headers['svc-workflow-is-failure'] === 'true' ? asSdk : { ...asSdk, status: 489 },
    );
    await trigger({
      'svc-retries': '0',
      'svc-label': 'blue',
      'svc-forward-x-tenant': 'acme',
      'svc-failure-callback': endpoint.url,
      'svc-failure-callback-forward-x-own': '1',
    });
    const request = await endpoint.received(2);
    expect(runHeaders(request)).toEqual({
      'svc-workflow-is-failure': 'true',
      'svc-workflow-failure-callback': 'true',
      'svc-workflow-calltype': 'failureCall',
      'svc-workflow-runid': expect.stringMatching(/^wfr_/),
      'svc-workflow-url': endpoint.url,
      'svc-workflow-createdat': expect.stringMatching(/^\d{13}$/),
      'svc-workflow-init': 'false',
      'svc-label': 'blue',
      'x-tenant': 'acme',
      'x-own': '1',
    });
    expect(bodyOf(request)).toMatchObject({
      status: 489,
      sourceBody: Buffer.from('{"n":1}').toString('base64'),
    });
  });

  it.each<[Headers, number, string]>([
    [{ 'svc-workflow-init': 'false' }, 400, 'Svc-Workflow-Init must be true'],
    [{ 'svc-workflow-invoke': 'true' }, 400, 'Svc-Workflow-Invoke means nothing for a trigger'],
    [{ 'svc-workflow-calltype': 'step' }, 400, 'Svc-Workflow-Calltype means nothing for'],
    [{ 'svc-workflow-trigger-by-sdk': 'true' }, 400, 'Svc-Workflow-Trigger-By-Sdk means'],
    [{ 'svc-workflow-unknown-sdk': 'x' }, 400, 'Svc-Workflow-Unknown-Sdk must be true or false'],
    [{ 'svc-workflow-runid': '' }, 400, 'Svc-Workflow-Runid must have'],
    [{ 'svc-workflow-runid': 'wfr_a?b' }, 400, 'Svc-Workflow-Runid must have no'],
    [{ 'svc-failure-callback-retries': '1' }, 400, 'Svc-Failure-Callback is missing'],
    [{ 'svc-cron': '* * * * *' }, 400, 'Svc-Cron means nothing'],
    [{ 'svc-delay': 'x' }, 400, 'Svc-Delay must be'],
    [{ 'svc-delay': '2y' }, 412, 'Svc-Delay must be at most 31536000s'],
    [{ 'svc-method': 'GET' }, 400, 'Svc-Method of a workflow must be POST'],
    [{ 'svc-content-based-deduplication': 'true' }, 400, 'Svc-Content-Based-Deduplication means'],
    [{ 'svc-forward-svc-workflow-invoke-count': '101' }, 412, 'must be at most 100'],
    [{ 'svc-forward-svc-workflow-invoke-count': 'abc' }, 400, 'must be a whole number'],
  ])('is refused for %j', async (headers, status, reason) => {
    const error = expect.stringContaining(reason);
    expect(await trigger(headers)).toMatchObject({ status, body: { error } });
    expect(await endpoint.post('/v2/trigger/orders', {}, '')).toMatchObject({ status: 400 });
  });
});

describe('a batch of triggers', () => {
  it('is answered with a list, with one entry for each trigger in its place', async () => {
    const { url, runId } = endpoint;
    const { status, body } = await endpoint.post('/v2/batch/trigger', {}, [
      { destination: url, body: 'a', headers: { 'svc-workflow-runid': runId } },
      { destination: url, body: 'b', headers: { 'svc-workflow-runid': runId } },
      { destination: url, body: { a: 1 } },
      { destination: 'orders' },
      { destination: url, headers: { 'svc-delay': '2y' } },
      { destination: url, queue: 'line' },
      7,
      { destination: url, headers: null },
    ]);
    expect(status).toBe(201);
    expect(body).toEqual([
      run(runId),
      { ...run(runId), deduplicated: true },
      { error: 'item 2: body must be a string' },
      { error: expect.stringContaining('orders is the name of a URL group') },
      { error: expect.stringContaining('Svc-Delay') },
      { error: expect.stringContaining('Svc-Queue-Name means nothing') },
      { error: 'item 6: a message of a batch must be an object' },
      run(),
    ]);
    await endpoint.received(2);
    const payloads = endpoint.requests.flatMap((request) => entriesOf(request));
    expect(payloads.sort()).toEqual(['', 'a']);
  });

  it.each([
    ['', 'the body is empty'],
    ['{}', 'is not an array'],
    ['[]', 'the batch is empty'],
  ])('is refused if it is "%s"', async (body, reason) => {
    const error = expect.stringContaining(reason);
    const refused = { status: 400, body: { error } };
    expect(await endpoint.post('/v2/batch/trigger', {}, body)).toMatchObject(refused);
  });
});
