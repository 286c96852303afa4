import type { EventEnvelope } from '../../../src/engine/decider.js';
import { Journal } from '../../../src/engine/journal.js';
import { principalTerm } from '../../../src/engine/principal/principal.js';
import { principalObject, shownPrincipal } from '../../../src/engine/principal/shown-principal.js';
import { type Answer, callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_TRUSTED_PROXIES: '127.0.0.1' } });
  endpoint = await RecordingEndpoint.start();
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

async function events(of: TestServer = server): Promise<EventEnvelope[]> {
  const journal = of.application.nest.get(Journal);
  const all: EventEnvelope[] = [];
  const range = { from: 0, until: journal.highWatermark, order: 'oldest' as const };
  for await (const envelope of journal.query({ terms: [], ...range })) all.push(envelope);
  return all;
}

/** The types of the events that a request caused. */
async function causedBy(requestId: string): Promise<string[]> {
  const own = (await events()).filter(
    ({ by }) => by?.type === 'caller' && by.requestId === requestId,
  );
  return own.map(({ event }) => event.type);
}

/** The one event of a type in a stream, once it is there. */
async function eventOf(type: string, id: string): Promise<EventEnvelope> {
  for (;;) {
    const found = (await events()).find((each) => each.id === id && each.event.type === type);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const later = { 'svc-delay': '1h' };
let made = 0;
const url = 'http://127.0.0.1:9000/x';

/** Calls a route with a request id of its own, which it answers. */
async function call(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Answer & { readonly requestId: string }> {
  made += 1;
  const requestId = `who-${made}`;
  const own = path.startsWith('/v2') ? {} : { authorization: server.basic };
  const sent = { 'x-request-id': requestId, ...own, ...headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await callApi(server, method, path, sent, text);
  return { ...answer, requestId };
}

/** In this order: each finds what those above it made. Types that it causes, once each. */
const rows: readonly (readonly [
  route: string,
  types: readonly string[],
  body?: unknown,
  headers?: Record<string, string>,
])[] = [
  [`POST /v2/publish/${url}`, ['MessagePublished'], 'x', later],
  [`POST /v2/publish/${encodeURIComponent(url)}`, ['MessagePublished'], 'x', later],
  [`POST /v2/enqueue/line/${url}`, ['MessagePublished', 'QueueCreated'], 'x', later],
  [
    'POST /v2/batch',
    ['MessagePublished'],
    [1, 2].map(() => ({ destination: url, headers: { 'svc-delay': '1h' } })),
  ],
  ['POST /v2/messages/{messageId}/deliver', ['MessageRescheduled']],
  ['PATCH /v2/messages/{messageId}', ['MessageRescheduled'], { delay: '2h' }],
  ['POST /v2/queues', ['QueueConfigured'], { queueName: 'line', parallelism: 2 }],
  ['POST /v2/queues/line/pause', ['QueueConfigured']],
  ['POST /v2/queues/line/resume', ['QueueConfigured']],
  ['POST /v2/queues/pause', ['QueueConfigured']],
  ['POST /v2/queues/resume', ['QueueConfigured']],
  ['DELETE /v2/queues/line', ['MessageCanceled', 'QueueDeleted']],
  [
    `POST /v2/schedules/${url}`,
    ['ScheduleCreated'],
    'x',
    { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 's' },
  ],
  ['PATCH /v2/schedules/s/pause', ['SchedulePaused']],
  ['PATCH /v2/schedules/s/resume', ['ScheduleResumed']],
  ['POST /v2/schedules/s/pause', ['SchedulePaused']],
  ['POST /v2/schedules/s/resume', ['ScheduleResumed']],
  ['POST /v2/schedules/s/trigger', ['MessagePublished', 'ScheduleTriggered']],
  ['DELETE /v2/schedules/s', ['ScheduleDeleted']],
  ['POST /v2/topics/group/endpoints', ['EndpointsUpserted'], { endpoints: [{ url }] }],
  ['POST /v2/publish/group', ['MessagePublished'], 'x', later],
  ['PATCH /v2/topics/group', ['GroupHeadersSet'], { headers: { 'X-A': 'a' } }],
  ['DELETE /v2/topics/group', ['UrlGroupDeleted']],
  [
    `POST /v2/publish/${url}`,
    ['MessagePublished', 'FlowControlLimited'],
    'x',
    { ...later, 'svc-flow-control-key': 'key', 'svc-flow-control-value': 'parallelism=1' },
  ],
  ['POST /v2/flowControl/key/pause', ['FlowControlPaused']],
  ['POST /v2/flowControl/key/resume', ['FlowControlResumed']],
  ['POST /v2/flowControl/pause', ['FlowControlPaused']],
  ['POST /v2/flowControl/resume', ['FlowControlResumed']],
  ['POST /v2/flowControl/key/pin?parallelism=2', ['FlowControlPinned']],
  ['POST /v2/flowControl/key/unpin?parallelism=true', ['FlowControlUnpinned']],
  ['POST /v2/keys/rotate', ['SigningKeysRotated']],
  [
    `POST /v2/trigger/${url}`,
    ['RunStarted', 'MessagePublished'],
    'x',
    { 'svc-delay': '1h', 'svc-workflow-runid': 'one' },
  ],
  [
    `POST /v2/trigger/${url}`,
    ['RunStarted', 'MessagePublished'],
    'x',
    { 'svc-delay': '1h', 'svc-workflow-runid': 'two' },
  ],
  ['POST /v2/notify/one/event', ['NotificationStored'], 'x'],
  ['DELETE /v2/messages', ['MessageCanceled', 'RunCanceled']],
  ['POST /admin/topics', ['TopicCreated'], { name: 'rides' }],
  ['PATCH /admin/topics/rides', ['TopicAltered'], { partitions: 4 }],
  ['POST /produce/others', ['TopicCreated'], { partition: 0, value: 'x' }],
  ['POST /admin/topics/others/purge', ['TopicTrimmed'], [{ partition: 0, before: 1 }]],
  ['GET /consume/g/i/rides?timeout=1', ['MemberJoined', 'ConsumerOpened']],
  ['DELETE /delete-consumer/g/i', ['ConsumerClosed', 'MemberLeft']],
  ['POST /admin/groups/g/offsets', ['OffsetsReset'], { topic: 'rides', to: 'earliest' }],
  ['DELETE /admin/groups/g', ['GroupDeleted']],
  [
    'POST /admin/subscriptions',
    ['SubscriptionCreated', 'PartitionOpened'],
    { name: 'push', topic: 'rides', destination: url },
  ],
  ['POST /admin/subscriptions/push/pause', ['SubscriptionPaused', 'PartitionPaused']],
  ['POST /admin/subscriptions/push/resume', ['SubscriptionResumed', 'PartitionResumed']],
  ['DELETE /admin/subscriptions/push', ['SubscriptionDeleted', 'PartitionClosed']],
  [
    'POST /admin/credentials',
    ['RestCredentialCreated'],
    { name: 'app', topic: '*', permissions: 'ALL' },
  ],
  ['DELETE /admin/credentials/app', ['RestCredentialDeleted']],
  ['DELETE /admin/topics/rides', ['TopicDeleted']],
];

describe('every event that a request caused', () => {
  it('names the request, by whatever route it came', async () => {
    let messageId = '';
    for (const [route, types, body, headers] of rows) {
      const [method = '', path = ''] = route.replace('{messageId}', messageId).split(' ');
      const { status, requestId, body: answer } = await call(method, path, headers, body);
      expect([route, answer, status >= 200 && status < 300]).toEqual([route, answer, true]);
      const caused = await causedBy(requestId);
      expect([route, [...new Set(caused)]]).toEqual([route, types]);
      const made = (answer as { messageId?: string } | null)?.messageId;
      messageId = made ?? messageId;
    }
  });

  it('names the credential, where the request came from, and its id', async () => {
    const { requestId, body } = await call('POST', `/v2/publish/${url}`, later, 'x');
    const { messageId } = body as { messageId: string };
    const { by } = await eventOf('MessagePublished', messageId);
    expect(principalObject(by)).toEqual({ name: 'env:1', address: '127.0.0.1', requestId });
    const topic = await call('POST', '/admin/topics', {}, { name: 'own' });
    expect(principalObject((await eventOf('TopicCreated', 'own')).by)).toEqual({
      name: `rest:${server.credentials.restUsername}`,
      address: '127.0.0.1',
      requestId: topic.requestId,
    });
  });

  it('is found by the name of the credential', async () => {
    const journal = server.application.nest.get(Journal);
    const terms = [[principalTerm(`rest:${server.credentials.restUsername}`)]];
    const range = { from: 0, until: journal.highWatermark, order: 'oldest' as const };
    const found: number[] = [];
    for await (const { offset } of journal.query({ terms, ...range })) found.push(offset);
    const own = (await events()).filter(
      ({ by }) => by?.type === 'caller' && by.name?.startsWith('rest:'),
    );
    expect(own.length).toBeGreaterThan(10);
    expect(found).toEqual(own.map(({ offset }) => offset));
  });
});

describe('what the server did itself', () => {
  it('names the stream for whose sake', async () => {
    endpoint.answerInTurn({ status: 500, body: 'no' });
    const callback = `${endpoint.url}/failed`;
    const headers = { 'svc-retries': '0', 'svc-failure-callback': callback };
    const { body } = await call('POST', `/v2/publish/${endpoint.url}/x`, headers, 'x');
    const { messageId } = body as { messageId: string };
    expect(shownPrincipal((await eventOf('MessageFailed', messageId)).by)).toBe('server');
    const all = await events();
    const called = all.find(({ event }) => 'url' in event && event.url === callback);
    expect(shownPrincipal(called?.by ?? null)).toBe(`server(message/${messageId})`);
    const { requestId } = await call('DELETE', '/v2/dlq');
    expect(await causedBy(requestId)).toEqual(expect.arrayContaining(['DeadLetterDeleted']));
  });
});

describe('the id of a request', () => {
  const idOf = async (headers: Record<string, string>, path = '/v2/queues') =>
    (await callApi(server, 'GET', path, headers)).headers.get('x-request-id');
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

  it.each<[what: string, headers: Record<string, string>, id: string]>([
    ['X-Request-Id', { 'x-request-id': 'a.B-1:/+=@_' }, 'a.B-1:/+=@_'],
    ['the trace', { traceparent: `00-${trace}-00f067aa0ba902b7-01` }, trace],
    [
      'X-Request-Id before the trace',
      { 'x-request-id': 'x', traceparent: `00-${trace}-00f067aa0ba902b7-01` },
      'x',
    ],
    [
      'the trace, as the other is too long',
      { 'x-request-id': 'x'.repeat(65), traceparent: `00-${trace}-00f067aa0ba902b7-01` },
      trace,
    ],
  ])('is that of %s', async (_what, headers, id) => {
    expect(await idOf(headers)).toBe(id);
    expect(await idOf(headers, '/health/live')).toBe(id);
    expect(await idOf({ ...headers, authorization: 'Bearer wrong' })).toBe(id);
  });

  it.each<Record<string, string>>([
    {},
    { 'x-request-id': 'with blank' },
    { 'x-request-id': 'x'.repeat(65) },
    { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` },
    { traceparent: `00-${trace}` },
  ])('is made where %j brings none', async (headers) => {
    const [first, second] = [await idOf(headers), await idOf(headers)];
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
    expect(second).not.toBe(first);
  });
});

describe('where a request came from', () => {
  let proxied = 0;
  async function addressOf(of: TestServer, forwarded: string): Promise<unknown> {
    proxied += 1;
    const label = `proxied-${proxied}`;
    const headers = { ...later, 'x-forwarded-for': forwarded, 'svc-label': label };
    const { body } = await callApi(of, 'POST', `/v2/publish/${url}`, headers, 'x');
    const { messageId } = body as { messageId: string };
    const shown = (await callApi(of, 'GET', `/v2/messages/${messageId}`)).body;
    const published = (await events(of)).find(({ id }) => id === messageId);
    const by = principalObject(published?.by ?? null);
    expect(by).toMatchObject({ address: (shown as { callerIP: string }).callerIP });
    return (shown as { callerIP: string }).callerIP;
  }

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 127.0.0.1', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['nonsense', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('behind a trusted proxy that says %j: %s', async (forwarded, address) => {
    expect(await addressOf(server, forwarded)).toBe(address);
  });

  it('is the connection itself where no proxy is trusted', async () => {
    const other = await startServer();
    expect(await addressOf(other, '203.0.113.7')).toBe('127.0.0.1');
    await other.remove();
  });
});
