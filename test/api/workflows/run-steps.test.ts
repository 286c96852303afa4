import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';
import {
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
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RunEndpoint.start(server);
});

afterEach(() => endpoint.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const messageId = expect.stringMatching(/^msg_\w+$/);
const later = { 'svc-delay': '1h' };

describe('a step', () => {
  it('is delivered with all entries up to its own, with the options of its run', async () => {
    const initial = idOf(await endpoint.init({ 'svc-forward-x-tenant': 'acme' }, 'payload'));
    await endpoint.received(1);
    const text = '{ "stepId":1, "stepName":"ü", "stepType":"Run", "concurrent":1, "x":null }';
    const first = await endpoint.submit(text, { 'svc-forward-svc-workflow-invoke-count': '2' });
    expect(first).toMatchObject({ status: 200, body: [{ messageId }] });
    const request = await endpoint.received(2);
    expect(bodyOf(request)).toEqual([entry(initial, 'payload'), entry(idOf(first), text)]);
    expect(request.headers['svc-message-id']).toBe(idOf(first));
    expect(runHeaders(request)).toEqual({
      'svc-workflow-runid': endpoint.runId,
      'svc-workflow-url': endpoint.url,
      'svc-workflow-createdat': expect.stringMatching(/^\d{13}$/),
      'svc-workflow-init': 'false',
      'svc-workflow-sdk-version': '1',
      'svc-workflow-invoke-count': '2',
      'x-tenant': 'acme',
    });
  });

  it('may also be published, like the result of a call', async () => {
    await endpoint.init();
    const answer = await endpoint.publish(endpoint.headers(false), step(1, { stepType: 'Call' }));
    expect(answer).toMatchObject({ status: 200, body: { messageId } });
    expect(entriesOf(await endpoint.received(2))).toHaveLength(2);
  });

  it('needs nothing but the id of its run', async () => {
    await endpoint.init();
    await endpoint.publish({ 'svc-workflow-runid': endpoint.runId }, step(1));
    expect(entriesOf(await endpoint.received(2))).toHaveLength(2);
  });

  it('is stored once: a repeat is answered like the first one, and delivers nothing', async () => {
    await endpoint.init();
    const first = await endpoint.submit(step(1, { out: 'first' }));
    const again = await endpoint.submit(step(1, { out: 'second' }));
    expect(again).toMatchObject({ status: 200, body: first.body });
    await endpoint.submit(step(2));
    const entries = entriesOf(await endpoint.received(3));
    expect(endpoint.requests).toHaveLength(3);
    expect(JSON.parse(entries[1] ?? '')).toEqual(step(1, { out: 'first' }));
  });

  it('sleeps if it says so', async () => {
    await endpoint.init();
    const id = idOf(await endpoint.submit(step(1, { stepType: 'SleepFor' }), later));
    const { notBefore, createdAt } = await endpoint.message(id);
    expect(Number(notBefore) - Number(createdAt)).toBe(3_600_000);
  });

  it('is delivered with the options of its run, unless it sets its own', async () => {
    await endpoint.init({ 'svc-retries': '7', 'svc-label': 'blue' });
    await endpoint.received(1);
    const bare = idOf(await endpoint.submit(step(1), later));
    const own = idOf(
      await endpoint.submit(step(2), { ...later, 'svc-retries': '1', 'svc-label': 'red' }),
    );
    expect(await endpoint.message(bare)).toMatchObject({ maxRetries: 7, labels: ['blue'] });
    expect(await endpoint.message(own)).toMatchObject({ maxRetries: 1, labels: ['red'] });
  });

  it('of a parallel group comes with all others of the group', async () => {
    const initial = idOf(await endpoint.init());
    const plans = [1, 2, 3].map((target) => step(0, { concurrent: 3, targetStep: target }));
    const answer = await endpoint.batch(...plans.map((plan) => endpoint.item(plan)));
    expect(answer.body).toEqual([{ messageId }, { messageId }, { messageId }]);
    const ids = (answer.body as { messageId: string }[]).map(({ messageId: id }) => id);
    await endpoint.received(4);
    const delivered = endpoint.requests
      .slice(1)
      .map((request) => (bodyOf(request) as { messageId: string }[]).map((one) => one.messageId))
      .sort((one, other) => one.length - other.length);
    expect(delivered).toEqual([1, 2, 3].map((count) => [initial, ...ids.slice(0, count)]));
  });

  it('of a group of hundreds also comes with all others', async () => {
    await endpoint.init(later);
    const plans = Array.from({ length: 600 }, (_, index) =>
      endpoint.item(step(0, { concurrent: 600, targetStep: index + 1 }), later),
    );
    const { status, body } = await endpoint.batch(...plans);
    expect(status).toBe(200);
    expect(body).toEqual(plans.map(() => ({ messageId })));
  });
});

describe('a step that is refused', () => {
  it('is answered with 400 only if its run has ended or never existed', async () => {
    const error = `workflow run ${endpoint.runId} is not active`;
    const refused = (message: string) => ({ status: 400, body: { error: message } });
    expect(await endpoint.submit(step(1))).toMatchObject(refused(`item 0: ${error}`));
    expect(await endpoint.publish(endpoint.headers(false), step(1))).toMatchObject(refused(error));
    const plain = { destination: `${endpoint.url}/plain` };
    expect(await endpoint.batch(plain, endpoint.item(step(1)), plain)).toMatchObject(
      refused(`item 1: ${error}`),
    );
    await endpoint.init();
    await endpoint.received(1);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('refuses its whole batch, and names its position there', async () => {
    await endpoint.init();
    const dead = { 'svc-workflow-runid': 'wfr_dead' };
    const items = [endpoint.item(step(1)), endpoint.item(step(2)), endpoint.item(step(1), dead)];
    expect(await endpoint.batch(...items)).toMatchObject({
      status: 400,
      body: { error: 'item 2: workflow run wfr_dead is not active' },
    });
    const changed = endpoint.item(step(1, { stepName: 'another' }));
    expect(await endpoint.batch(endpoint.item(step(1)), changed)).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/^item 1: step 1 came as /) },
    });
    const takeover = {
      ...dead,
      'svc-workflow-init': 'true',
      'svc-workflow-trigger-by-sdk': 'true',
    };
    const batch = await endpoint.batch(endpoint.item(step(1)), endpoint.item('', takeover));
    expect(batch).toMatchObject({
      status: 400,
      body: { error: 'item 1: workflow run wfr_dead is not active' },
    });
    expect(await endpoint.submit(step(1))).toMatchObject({ status: 200 });
  });

  it('is answered with 409 if another step has its id', async () => {
    await endpoint.init();
    await endpoint.submit(step(1));
    const { status, body } = await endpoint.submit(step(1, { stepName: 'another' }));
    expect(status).toBe(409);
    expect(body).toEqual({ error: expect.stringContaining('has changed under the run') });
  });

  it.each([
    ['no JSON', 'this is no step: the body is not valid JSON'],
    ['', 'this is no step: the body is empty'],
    ['[]', 'must be a JSON object'],
    ['<html>', 'this is no step: the body is not valid JSON'],
    [JSON.stringify(step(-1)), 'stepId must be'],
    [JSON.stringify(step(0)), 'targetStep'],
    [JSON.stringify(step(1, { concurrent: 0 })), 'concurrent must be'],
  ])('is answered with 422 if it is %s', async (body, reason) => {
    await endpoint.init();
    const refused = { status: 422, body: { error: expect.stringContaining(reason) } };
    expect(await endpoint.submit(body)).toMatchObject(refused);
    expect(await endpoint.publish(endpoint.headers(false), body)).toMatchObject(refused);
  });

  it.each<[Headers, number, string]>([
    [{ 'svc-workflow-init': 'maybe' }, 422, 'Svc-Workflow-Init must be true or false'],
    [{ 'svc-workflow-runid': ' ' }, 422, 'Svc-Workflow-Runid must have 1 to 512'],
    [{ 'svc-workflow-url': 'ftp://example.com' }, 422, 'Svc-Workflow-Url must begin with http'],
    [{ 'svc-workflow-sdk-version': '2' }, 422, 'Svc-Workflow-Sdk-Version must be 1'],
    [{ 'svc-workflow-calltype': 'fromCallback' }, 422, 'Svc-Workflow-Calltype must be step or'],
    [{ 'svc-workflow-calltype': 'failureCall' }, 422, 'Svc-Workflow-Calltype must be step or'],
    [{ 'svc-workflow-invoke': 'true' }, 422, 'Svc-Workflow-Invoke needs Workflow-Init: true'],
    [{ 'svc-workflow-trigger-by-sdk': 'x' }, 422, 'Svc-Workflow-Trigger-By-Sdk must be true'],
    [{ 'svc-workflow-unknown-sdk': 'x' }, 422, 'Svc-Workflow-Unknown-Sdk must be true'],
    [{ 'svc-workflow-step': '1' }, 422, 'Svc-Workflow-Step is no option of a workflow run'],
    [{ 'svc-delay': 'soon' }, 422, 'Svc-Delay'],
    [{ 'svc-delay': '2y' }, 412, 'Svc-Delay'],
    [{ 'svc-retries': '1000000' }, 412, 'Svc-Retries'],
    [{ 'svc-method': 'PUT' }, 422, 'Svc-Method of a workflow must be POST'],
    [{ 'svc-callback': 'https://example.com' }, 422, 'Svc-Callback means nothing'],
    [{ 'svc-deduplication-id': 'once' }, 422, 'Svc-Deduplication-Id means nothing'],
    [{ 'svc-queue-name': 'line' }, 422, 'Svc-Queue-Name means nothing'],
    [{ 'svc-cron': '* * * * *' }, 422, 'Svc-Cron means nothing'],
  ])('names the problem of %j', async (headers, status, reason) => {
    await endpoint.init();
    const error = expect.stringContaining(reason);
    expect(await endpoint.submit(step(1), headers)).toMatchObject({ status, body: { error } });
  });

  it('is never answered as an item, which its endpoint would take for a success', async () => {
    await endpoint.init();
    const item = endpoint.item(step(1));
    const refusals = await Promise.all([
      endpoint.batch({ ...item, destination: 'group' }),
      endpoint.batch({ ...item, destination: 'ftp://example.com' }),
      endpoint.batch({ ...item, queue: 'line' }),
      endpoint.batch({ ...item, body: 7 }),
      endpoint.batch({ ...item, body: '\ud83c' }),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
    const large = await endpoint.submit(step(1, { out: 'x'.repeat(10 * 1024 * 1024) }));
    expect(large).toMatchObject({
      status: 412,
      body: { error: expect.stringContaining('body is longer than 10485760 bytes') },
    });
  });
});

it('the end of a run answers the delivery whose attempt was cut off before', async () => {
  endpoint.answer(() => ({ status: 500 }));
  const id = idOf(await endpoint.init({ 'svc-retry-delay': '3600000' }));
  while ((await endpoint.message(id))['attempts'] === 0) await pause(20);
  const { runId } = endpoint;
  await callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`, {}, '{}');
  const { body } = await callApi(server, 'GET', `/v2/workflows/logs?workflowRunId=${runId}`);
  const run = { workflowState: 'RUN_SUCCESS', steps: [{ type: 'sequential' }] };
  expect(body).toMatchObject({ runs: [run] });
  const { body: rows } = await callApi(server, 'GET', `/v2/logs?messageId=${id}&count=1`);
  expect(rows).toMatchObject({ logs: [{ state: 'DELIVERED' }] });
});
