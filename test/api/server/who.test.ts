import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import type { EventEnvelope } from '../../../src/engine/decider.js';
import { Journal } from '../../../src/engine/journal.js';
import { principalTerm } from '../../../src/engine/principal/principal.js';
import { principalObject, shownPrincipal } from '../../../src/engine/principal/shown-principal.js';
import { type Answer, callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
let backups: string;

beforeAll(async () => {
  backups = await mkdtemp(join(tmpdir(), 'stepwell-who-'));
  server = await startServer({
    environment: {
      STEPWELL_TRUSTED_PROXIES: '127.0.0.1',
      STEPWELL_BACKUP_DIR: backups,
      STEPWELL_MCP: 'true',
    },
  });
  endpoint = await RecordingEndpoint.start(({ url: asked }) => ({ status: statusOf(asked) }));
});

const failedOnce = new Set<string>();
let failures = 0;

/** A path of `endpoint` that answers 500 once, and 200 from then on. */
function failingPath(): string {
  failures += 1;
  return `/fails/${failures}`;
}

/** Resumed and retried messages arrive at any time, so the answer depends on the path alone. */
function statusOf(path: string): number {
  const status = /^\/reported\/(\d+)$/.exec(path)?.[1];
  if (status !== undefined) return Number(status);
  if (!path.startsWith('/fails/') || failedOnce.has(path)) return 200;
  failedOnce.add(path);
  return 500;
}

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
  await rm(backups, { recursive: true });
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

/** The one event of a type in a stream, once the journal has it. */
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

async function withBody(path: string, headers: Record<string, string>, body: string) {
  const response = await request(`${server.url}${path}`, { method: 'GET', headers, body });
  return { status: response.statusCode, headers: new Headers(), body: await response.body.json() };
}

/** Calls a route with a request id of its own, which it returns. */
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
  // Some clients can only send GET, and send a body with it, which fetch refuses.
  const answer =
    method === 'GET' && text !== undefined
      ? await withBody(path, sent, text)
      : await callApi(server, method, path, sent, text);
  return { ...answer, requestId };
}

/** A step that waits, as the endpoint of its run requests it. */
const waiting = (stepId: number, stepType: string) => ({
  step: { stepId, stepName: `step ${stepId}`, stepType, concurrent: 1 },
  timeout: '1h',
});

/** A step that has created a webhook. */
const announced = (runId: string, stepId: number) => ({
  stepId,
  stepName: `step ${stepId}`,
  stepType: 'CreateWebhook',
  out: JSON.stringify({
    webhookUrl: `http://127.0.0.1/v2/workflows/hooks/stepwell/${runId}/evt_1`,
    eventId: 'evt_1',
  }),
  concurrent: 1,
});

const resumed = ['FailedRunResumed', 'RunStarted', 'MessagePublished'];
const restarted = ['FailedRunRestarted', 'RunStarted', 'MessagePublished'];

/** The requests, in order: each uses what those above it made. `types` are the events it causes. */
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
  [`POST /v2/publish/${url}`, ['MessagePublished'], 'x', later],
  ['DELETE /v2/messages/{messageId}', ['MessageCanceled']],
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
  [
    'POST /v2/topics/group/endpoints',
    ['EndpointsUpserted'],
    { endpoints: [{ url }, { url: `${url}2` }] },
  ],
  ['POST /v2/publish/group', ['MessagePublished'], 'x', later],
  ['PATCH /v2/topics/group', ['GroupHeadersSet'], { headers: { 'X-A': 'a' } }],
  ['DELETE /v2/topics/group/endpoints', ['EndpointsRemoved'], { endpoints: [{ url }] }],
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
  ['POST /v2/flowControl/key/reset', ['RateReset']],
  ['POST /v2/flowControl/key/resetRate', ['RateReset']],
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
  [
    'POST /v2/batch/trigger',
    ['RunStarted', 'MessagePublished'],
    [{ destination: url, headers: { 'svc-delay': '1h', 'svc-workflow-runid': 'three' } }],
  ],
  ['POST /v2/notify/one/event', ['NotificationStored'], 'x'],
  ['POST /v2/wait/paid', ['WaitOpened'], waiting(1, 'Wait'), { 'svc-workflow-runid': 'two' }],
  ['POST /v2/notify/paid', ['WaitEnded', 'MessagePublished'], 'x'],
  [
    `POST /v2/publish/${url}`,
    ['StepStored', 'MessagePublished'],
    announced('two', 2),
    {
      'content-type': 'application/json',
      'svc-workflow-init': 'false',
      'svc-workflow-runid': 'two',
      'svc-workflow-url': url,
    },
  ],
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'HEAD'].map(
    (method) =>
      [`${method} /v2/workflows/hooks/stepwell/two/evt_1`, ['NotificationStored']] as const,
  ),
  // A token that shows the progress of a run is signed and stored nowhere.
  ['POST /v2/workflows/runs/two/token', []],
  ['DELETE /v2/workflows/runs/two', ['RunCanceled', 'MessageCanceled']],
  ['DELETE /v2/workflows/runs', ['RunCanceled', 'MessageCanceled'], { workflowRunIds: ['three'] }],
  ['POST /v2/dlq/retry/{letter}', ['DeadLetterRetried', 'MessagePublished']],
  ['POST /v2/dlq/retry?dlqIds={letter}', ['DeadLetterRetried', 'MessagePublished']],
  ['DELETE /v2/dlq/{letter}', ['DeadLetterDeleted']],
  ['DELETE /v2/dlq?dlqIds={letter}', ['DeadLetterDeleted']],
  ['POST /v2/dlq/resume/{failed}', resumed],
  ['POST /v2/workflows/dlq/resume/{failed}', resumed],
  ['POST /v2/workflows/dlq/resume?dlqIds={failed}', resumed],
  ['POST /v2/workflows/dlq/restart/{failed}', restarted],
  ['POST /v2/workflows/dlq/restart?dlqIds={failed}', restarted],
  ['POST /v2/workflows/dlq/callback/{unreported}', ['MessagePublished']],
  ['DELETE /v2/workflows/dlq/callback/{calling}', ['MessageCanceled']],
  ['DELETE /v2/workflows/dlq/{failed}', ['FailedRunDeleted']],
  ['DELETE /v2/workflows/dlq?dlqIds={failed}', ['FailedRunDeleted']],
  ['POST /v2/schedules/preview', [], { cron: '* * * * *' }],
  ['POST /v2/jobs', ['JobCreated'], { verb: 'cancel', over: 'messages', filter: { label: 'x' } }],
  ['POST /v2/jobs/{job}/abort', ['JobAborted']],
  ['DELETE /v2/jobs/{job}', ['JobAborted']],
  ['DELETE /v2/messages', ['MessageCanceled', 'RunCanceled']],
  ['POST /admin/topics', ['TopicCreated'], { name: 'rides' }],
  ['PATCH /admin/topics/rides', ['TopicAltered'], { partitions: 4 }],
  ['POST /produce/others', ['TopicCreated'], { partition: 0, value: 'x' }],
  ['POST /admin/topics/others/purge', ['TopicTrimmed'], [{ partition: 0, before: 1 }]],
  ['POST /produce', ['TopicCreated'], { topic: 'made1', value: 'x' }],
  ['GET /produce', ['TopicCreated'], { topic: 'made2', value: 'x' }],
  ['GET /produce/made3', ['TopicCreated'], { value: 'x' }],
  ['GET /produce/made4/x', ['TopicCreated']],
  ['POST /webhook?topic=made5', ['TopicCreated'], 'x'],
  ['GET /webhook?topic=made6', ['TopicCreated']],
  ['GET /consume/g/i/rides?timeout=1', ['MemberJoined', 'ConsumerOpened']],
  ['GET /consume/g/j', ['MemberJoined', 'ConsumerOpened'], { topic: 'rides', timeout: 1 }],
  ['POST /consume/g/k', ['MemberJoined', 'ConsumerOpened'], { topic: 'rides', timeout: 1 }],
  // Positions are records of a topic (ADR 10).
  ['GET /commit/g/i', []],
  ['POST /commit/g/i', [], { topic: 'rides', partition: 0, offset: 0 }],
  ['POST /seek/g/i', [], { topic: 'rides', partition: 0, offset: 0 }],
  ['POST /committed/g/i', [], [{ topic: 'rides', partition: 0 }]],
  ['POST /offsets/0', [], { topic: 'rides', partition: 0 }],
  ['POST /fetch', [], { topic: 'rides', partition: 0, offset: 0 }],
  ['POST /delete-consumer/g/k', ['ConsumerClosed', 'MemberLeft']],
  ['DELETE /delete-consumer/g/j', ['ConsumerClosed', 'MemberLeft']],
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
  ['PATCH /admin/subscriptions/push/pause', ['SubscriptionPaused', 'PartitionPaused']],
  ['PATCH /admin/subscriptions/push/resume', ['SubscriptionResumed', 'PartitionResumed']],
  ['DELETE /admin/subscriptions/push', ['SubscriptionDeleted', 'PartitionClosed']],
  [
    'POST /admin/credentials',
    ['RestCredentialCreated'],
    { name: 'app', topic: '*', permissions: 'ALL' },
  ],
  ['DELETE /admin/credentials/app', ['RestCredentialDeleted']],
  ['DELETE /admin/topics/rides', ['TopicDeleted']],
  ['POST /admin/tokens', ['TokenCreated'], { name: 'made', role: 'read' }],
  ['DELETE /admin/tokens/made', ['TokenRevoked']],
  ['POST /admin/reach', [], { url }],
  ['POST /admin/origins/pause', ['OriginPaused'], { origin: 'http://127.0.0.1:9000' }],
  ['POST /admin/origins/resume', ['OriginResumed'], { origin: 'http://127.0.0.1:9000' }],
  ['POST /admin/backup', ['JournalRevealed'], { path: 'made' }],
];

/** Makers of the values that a row names in braces. */
const makers: Readonly<Record<string, () => Promise<string>>> = {
  job: () => slowJob(),
  letter: () => deadLetter(),
  failed: () => failedRun(200),
  // The callback is retried later.
  calling: () => failedRun(503, '3'),
  unreported: () => unreportedRun(),
};

interface Letter {
  readonly dlqId: string;
  readonly messageId?: string;
  readonly workflowRunId?: string;
}

/**
 * The dead letter of one message or run. Others may appear at any time, such as those of resumed
 * runs that fail again.
 */
async function letterOf(path: string, isOwn: (letter: Letter) => boolean): Promise<string> {
  for (;;) {
    const { body } = await callApi(server, 'GET', path);
    const found = (body as { messages: readonly Letter[] }).messages.find(isOwn);
    if (found !== undefined) return found.dlqId;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A job that would need more than an hour, because of its rate. */
async function slowJob(): Promise<string> {
  for (let count = 0; count < 2; count += 1) {
    await call('POST', `/v2/publish/${url}`, { ...later, 'svc-label': 'slow' }, 'x');
  }
  const asked = { verb: 'cancel', over: 'messages', filter: { label: 'slow' }, rate: '1/h' };
  const { body } = await call('POST', '/v2/jobs', {}, asked);
  return (body as { jobId: string }).jobId;
}

async function deadLetter(): Promise<string> {
  const path = `/v2/publish/${endpoint.url}${failingPath()}`;
  const { body } = await call('POST', path, { 'svc-retries': '0' }, 'x');
  const { messageId: own } = body as { messageId: string };
  return letterOf('/v2/dlq', ({ messageId }) => messageId === own);
}

/** A failed run whose failure callback was answered with `status`. */
async function failedRun(status: number, retries = '0'): Promise<string> {
  const { body } = await call(
    'POST',
    `/v2/trigger/${endpoint.url}${failingPath()}`,
    {
      'svc-retries': '0',
      'svc-failure-callback': `${endpoint.url}/reported/${status}`,
      'svc-failure-callback-retries': retries,
    },
    'x',
  );
  const { workflowRunId: own } = body as { workflowRunId: string };
  return letterOf('/v2/workflows/dlq', ({ workflowRunId }) => workflowRunId === own);
}

/** A failed run whose failure callback has failed. */
async function unreportedRun(): Promise<string> {
  const id = await failedRun(503);
  for (;;) {
    const { body } = await callApi(server, 'GET', `/v2/workflows/dlq/${id}`);
    if ((body as { failureFunctionState?: string }).failureFunctionState === 'CALLBACK_FAIL') {
      return id;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The path with its braces filled in. */
async function filled(path: string, messageId: string): Promise<string> {
  const [, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === '') return path;
  const value = name === 'messageId' ? messageId : await makers[name]?.();
  return path.replace(`{${name}}`, value ?? '');
}

/**
 * Of the reading methods, only those that serve clients that can send no others change anything.
 */
function mayChange(method: string, path: string): boolean {
  // Its tools only use GET.
  if (path === '/mcp') return false;
  // It changes which node owns the log, but nothing in the journal (ADR 79).
  if (path === '/admin/cluster/handover') return false;
  // Sessions of the console are signed cookies (ADR 46).
  if (path.startsWith('/console')) return false;
  const isReading = ['GET', 'HEAD', 'OPTIONS'].includes(method);
  return !isReading || /^\/(?:produce|consume|commit|webhook|v2\/workflows\/hooks)\b/.test(path);
}

describe('every event that a request caused', () => {
  it('names the request, whatever its route', async () => {
    let messageId = '';
    const seen: unknown[] = [];
    const expected: unknown[] = [];
    for (const [route, types, body, headers] of rows) {
      const [method = '', pattern = ''] = route.split(' ');
      const path = await filled(pattern, messageId);
      const { status, requestId, body: answer } = await call(method, path, headers, body);
      const caused = [...new Set(await causedBy(requestId))];
      const isDone = status >= 200 && status < 300;
      seen.push([route, isDone ? caused : { status, answer }]);
      expected.push([route, types]);
      const made = (answer as { messageId?: string } | null)?.messageId;
      messageId = made ?? messageId;
    }
    expect(seen).toEqual(expected);
  });

  it('is tested on every route that changes something', async () => {
    const { body } = await callApi(server, 'GET', '/openapi.json');
    const { paths } = body as { readonly paths: Readonly<Record<string, object>> };
    const called = rows.map(([route]) => route.replace(/\?.*/, ''));
    const isCalled = (method: string, path: string) => {
      const anything = path.replace('{destination}', '.+').replace(/\{\w+\}/g, '[^/]+');
      const pattern = new RegExp(`^${method} ${anything}$`);
      return called.some((route) => pattern.test(route));
    };
    const missing = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .map((method) => method.toUpperCase())
        .filter((method) => mayChange(method, path) && !isCalled(method, path))
        .map((method) => `${method} ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('names the credential, the address, and the id of the request', async () => {
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

describe('an event that the server caused itself', () => {
  it('names the stream that caused it', async () => {
    const callback = `${endpoint.url}/failed`;
    const headers = { 'svc-retries': '0', 'svc-failure-callback': callback };
    const { body } = await call(
      'POST',
      `/v2/publish/${endpoint.url}${failingPath()}`,
      headers,
      'x',
    );
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
  ])('is generated if %j brings none', async (headers) => {
    const [first, second] = [await idOf(headers), await idOf(headers)];
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
    expect(second).not.toBe(first);
  });
});

describe('the address of a request', () => {
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
  ])('behind a trusted proxy that says %j is %s', async (forwarded, address) => {
    expect(await addressOf(server, forwarded)).toBe(address);
  });

  it('is that of the connection if no proxy is trusted', async () => {
    const other = await startServer();
    expect(await addressOf(other, '203.0.113.7')).toBe('127.0.0.1');
    await other.remove();
  });
});
