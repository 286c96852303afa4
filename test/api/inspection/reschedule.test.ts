import { callApi } from '../../support/clients/api-call.js';
import { startHoldingEndpoint } from '../../support/clients/holding-endpoint.js';
import type { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
/** Lets everything go that the endpoint holds open. */
let release: () => void;

const environment = { STEPWELL_DELAY_MAX: '2d' };

beforeAll(async () => {
  server = await startServer({ environment });
});

afterAll(() => server.remove());

beforeEach(async () => {
  ({ endpoint, release } = await startHoldingEndpoint());
});

afterEach(async () => {
  release();
  await callApi(server, 'DELETE', '/v2/messages');
  await endpoint.stop();
});

const later = { 'svc-delay': '1h' };

async function publish(
  path: string,
  headers: Record<string, string> = later,
  way = 'publish',
): Promise<string> {
  const { body } = await callApi(server, 'POST', `/v2/${way}/${endpoint.url}${path}`, headers, 'x');
  return (body as { messageId: string }).messageId;
}

const deliver = (id: string) => callApi(server, 'POST', `/v2/messages/${id}/deliver`);
const move = (id: string, to: unknown) =>
  callApi(server, 'PATCH', `/v2/messages/${id}`, {}, JSON.stringify(to));

async function shown(id: string): Promise<Record<string, unknown>> {
  const { body } = await callApi(server, 'GET', `/v2/messages/${id}?final=true`);
  return body as Record<string, unknown>;
}

/** What is shown once it is in a state; the test's time limit ends a wait for another one. */
async function shownOnce(id: string, state: string): Promise<Record<string, unknown>> {
  for (;;) {
    const message = await shown(id);
    if (message['state'] === state) return message;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a message that is delivered now', () => {
  it('does not wait for its delay', async () => {
    const id = await publish('/now');
    expect(await deliver(id)).toMatchObject({ status: 200, body: { messageId: id } });
    await endpoint.received(1);
    expect(await shownOnce(id, 'DELIVERED')).toMatchObject({ attempts: 1 });
    expect(endpoint.requests).toHaveLength(1);
  });

  it('does not wait for its retry, which counts as one', async () => {
    const retries = { 'svc-retries': '1', 'svc-retry-delay': '3600000' };
    const id = await publish('/fails', retries);
    await shownOnce(id, 'RETRY');
    await deliver(id);
    const failed = await shownOnce(id, 'FAILED');
    expect(failed).toMatchObject({ attempts: 2, responseStatus: 500 });
    const { body } = await callApi(server, 'GET', `/v2/logs?messageId=${id}&order=earliestFirst`);
    const states = (body as { logs: { state: string }[] }).logs.map(({ state }) => state);
    const attempt = ['ACTIVE', 'ERROR'];
    expect(states).toEqual(['CREATED', ...attempt, 'RETRY', 'RETRY', ...attempt, 'FAILED']);
  });

  it('still waits for the others of its queue, in the order in which it joined', async () => {
    const first = await publish('/hangs', {}, 'enqueue/line');
    await endpoint.received(1);
    const delayed = await publish('/delayed', later, 'enqueue/line');
    const second = await publish('/second', {}, 'enqueue/line');
    await deliver(delayed);
    await shownOnce(delayed, 'WAITING');
    const third = await publish('/third', {}, 'enqueue/line');
    release();
    for (const id of [first, second, delayed, third]) await shownOnce(id, 'DELIVERED');
    expect(endpoint.requests.map(({ url }) => url)).toEqual([
      '/hangs',
      '/second',
      '/delayed',
      '/third',
    ]);
  });

  it('is called once where it is called already', async () => {
    const id = await publish('/hangs', {});
    await endpoint.received(1);
    const refused = { status: 409, body: { error: expect.stringContaining('in flight') } };
    expect(await deliver(id)).toMatchObject(refused);
    expect(await move(id, { delay: '1h' })).toMatchObject(refused);
    release();
    await shownOnce(id, 'DELIVERED');
    expect(endpoint.requests).toHaveLength(1);
  });
});

describe('a message that is moved', () => {
  it('starts at another time, sooner or later, and tells when', async () => {
    const id = await publish('/moved');
    const notBefore = Date.now() + 86_400_000;
    expect((await move(id, { notBefore })).body).toEqual({ messageId: id, notBefore });
    expect(await shown(id)).toMatchObject({ state: 'DELAYED', nextDeliveryTime: notBefore });
    const { body } = await callApi(server, 'GET', `/v2/messages/${id}/why`);
    expect(body).toMatchObject({ reason: 'delayed', until: notBefore });
    await move(id, { delay: '0s' });
    await shownOnce(id, 'DELIVERED');
    expect(endpoint.requests).toHaveLength(1);
  });

  it('tells of its latest attempt all the same', async () => {
    const id = await publish('/fails', { 'svc-retries': '1', 'svc-retry-delay': '3600000' });
    await shownOnce(id, 'RETRY');
    await move(id, { delay: '1d' });
    const { body } = await callApi(server, 'GET', `/v2/messages/${id}/why`);
    expect(body).toMatchObject({
      reason: 'retry',
      sentence: expect.stringMatching(/^Attempt 1 of \S+Z failed: the answer was 500; attempt 2/),
    });
  });

  it('leaves its line, and lets those behind it go first without a queue', async () => {
    const limits = { 'svc-flow-control-key': 'moved', 'svc-flow-control-value': 'parallelism=1' };
    const first = await publish('/hangs', limits);
    await endpoint.received(1);
    const away = await publish('/away', limits);
    const next = await publish('/next', limits);
    await shownOnce(away, 'WAITING');
    await move(away, { delay: '1h' });
    expect(await shownOnce(away, 'DELAYED')).toMatchObject({ attempts: 0 });
    release();
    await shownOnce(first, 'DELIVERED');
    await shownOnce(next, 'DELIVERED');
    expect(endpoint.requests.map(({ url }) => url)).toEqual(['/hangs', '/next']);
    await deliver(away);
    await shownOnce(away, 'DELIVERED');
  });

  it('is due at the same time after a restart', async () => {
    const id = await publish('/restarted');
    const { body } = await move(id, { delay: '30h' });
    const { notBefore } = body as { notBefore: number };
    await server.stop();
    server = await startServer({ dataDirectory: server.dataDirectory, environment });
    expect(await shown(id)).toMatchObject({ state: 'DELAYED', nextDeliveryTime: notBefore });
  });

  it.each([
    [{}, 400],
    [{ delay: '1h', notBefore: 1 }, 400],
    [{ delay: 'soon' }, 400],
    [{ notBefore: 'tomorrow' }, 400],
    [{ delay: '1h', attempts: 0 }, 400],
    [{ delay: '3d' }, 412],
  ])('is refused to %j with %i, and stays where it was', async (to, expected) => {
    const id = await publish('/stays');
    const before = await shown(id);
    const { status, body } = await move(id, to);
    expect([status, body]).toEqual([expected, { error: expect.any(String) }]);
    expect(await shown(id)).toEqual(before);
  });

  it('is not found where it is final or never was', async () => {
    const id = await publish('/');
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    for (const each of [id, 'msg_none']) {
      const gone = { status: 404, body: { error: `message ${each} not found` } };
      expect(await deliver(each)).toMatchObject(gone);
      expect(await move(each, { delay: '1h' })).toMatchObject(gone);
    }
  });
});
