import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = `00-${traceId}-00f067aa0ba902b7-01`;
const trace = { traceparent: parent, tracestate: 'vendor=1' };
const ofTrace = new RegExp(`^00-${traceId}-([0-9a-f]{16})-01$`);

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

const post = (path: string, headers: Record<string, string>, body = 'x') =>
  callApi(server, 'POST', `/v2/${path}`, headers, body);

/** The spans of the deliveries, each of which must be of the trace. */
async function spansOf(count: number): Promise<(string | undefined)[]> {
  const received = await endpoint.received(count);
  return received.map(({ headers }) => ofTrace.exec(String(headers['traceparent']))?.[1]);
}

it('goes on with each attempt, which is a span of its own', async () => {
  endpoint.answerInTurn({ status: 500 }, { status: 200 });
  const retries = { 'svc-retries': '1', 'svc-retry-delay': '1' };
  const { body } = await post(`publish/${endpoint.url}`, { ...trace, ...retries });
  const { messageId } = body as { messageId: string };
  const spans = await spansOf(2);
  expect(spans).not.toContain(undefined);
  expect(new Set([...spans, '00f067aa0ba902b7']).size).toBe(3);
  expect(endpoint.requests.map(({ headers }) => headers['tracestate'])).toEqual([
    'vendor=1',
    'vendor=1',
  ]);
  const shown = await callApi(server, 'GET', `/v2/messages/${messageId}?final=true`);
  expect((shown.body as { header: unknown }).header).toMatchObject({
    Traceparent: [parent],
    Tracestate: ['vendor=1'],
  });
});

it('goes on with callbacks', async () => {
  const callback = { 'svc-callback': `${endpoint.url}/called` };
  await post(`publish/${endpoint.url}`, { ...trace, ...callback });
  const spans = await spansOf(2);
  expect(spans).not.toContain(undefined);
  expect(new Set(spans).size).toBe(2);
});

it('is that of a batch item, or that of its batch', async () => {
  const other = `00-${'a'.repeat(32)}-00f067aa0ba902b7-00`;
  const destination = endpoint.url;
  const items = [{ destination }, { destination, headers: { traceparent: other } }];
  await post('batch', trace, JSON.stringify(items));
  const received = await endpoint.received(2);
  const sent = received.map(({ headers }) => headers['traceparent']).sort();
  expect(sent).toEqual([
    expect.stringMatching(ofTrace),
    expect.stringMatching(new RegExp(`^00-${'a'.repeat(32)}-[0-9a-f]{16}-00$`)),
  ]);
  expect(received.map(({ headers }) => headers['tracestate'] ?? '').sort()).toEqual([
    '',
    'vendor=1',
  ]);
});

it('does not make two publishes of the same content two', async () => {
  const byContent = { 'svc-content-based-deduplication': 'true', 'svc-delay': '1h' };
  const target = `publish/${endpoint.url}/once`;
  const first = await post(target, { ...byContent, ...trace });
  const second = await post(target, { ...byContent, 'svc-header-forward': 'false' });
  expect([first.status, second.status]).toEqual([200, 202]);
});

it('is not begun here, and one that cannot be read goes no further', async () => {
  await post(`publish/${endpoint.url}`, { traceparent: 'mine', tracestate: 'vendor=1' });
  const [request] = await endpoint.received(1);
  expect(request?.headers).not.toHaveProperty('traceparent');
  expect(request?.headers).not.toHaveProperty('tracestate');
});

it('does not go on with what a schedule publishes', async () => {
  const cron = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 'traced' };
  await post(`schedules/${endpoint.url}/scheduled`, { ...trace, ...cron });
  await post('schedules/traced/trigger', {});
  const [request] = await endpoint.received(1);
  expect(request?.url).toBe('/scheduled');
  expect(request?.headers).not.toHaveProperty('traceparent');
});
