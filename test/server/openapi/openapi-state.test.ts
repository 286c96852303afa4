/** Calls most operations of a server that has something of each kind, and reads the answers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';
import { problemsOf } from './openapi-agreement.js';
import { type Openapi, openapi } from './openapi-grammar.js';

let server: TestServer;
let document: Openapi;
/** Answers 500 below `/fail`, and 200 otherwise. */
let endpoint: RecordingEndpoint;
let backups = '';
const called = new Set<string>();

beforeAll(async () => {
  backups = await mkdtemp(join(tmpdir(), 'stepwell-openapi-'));
  const environment = { STEPWELL_RETRIES: '0', STEPWELL_BACKUP_DIR: backups };
  server = await startServer({ environment });
  endpoint = await RecordingEndpoint.start(({ url }) => ({
    status: url.startsWith('/fail') ? 500 : 200,
    body: '{"seen":true}',
  }));
  document = openapi.parse(await (await fetch(`${server.url}/openapi.json`)).json());
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
  await rm(backups, { recursive: true });
});

type Headers = Readonly<Record<string, string>>;
// biome-ignore lint/suspicious/noExplicitAny: what is found there, each call says itself
type Json = any;

/**
 * Calls an operation, `POST /v2/queues/{name}/pause line`: the words after its path fill the names
 * of the path, and a word that begins with a question mark is the query. The answer must be a
 * success, and as the document says.
 */
async function ask(operation: string, body?: unknown, headers: Headers = {}): Promise<Json> {
  const [method = '', path = '', ...words] = operation.split(' ');
  const query = words.at(-1)?.startsWith('?') === true ? words.pop() : '';
  const filled = path.replace(/\{\w+\}/g, () => words.shift() ?? '');
  const authorization = path.startsWith('/v2') ? server.bearer : server.basic;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  const sent = isText ? body : JSON.stringify(body);
  const response = await fetch(`${server.url}${filled}${query}`, {
    method,
    headers: { authorization, ...headers },
    ...(body !== undefined && { body: sent }),
  });
  const text = await response.text();
  const json = text === '' ? null : JSON.parse(text);
  const { status } = response;
  const promise = response.headers.get('stepwell-durability');
  const problems = problemsOf(document, method.toLowerCase(), path, { status, json, promise });
  const isRefused = status >= 300;
  expect([operation, isRefused ? [status, json] : null, problems]).toEqual([operation, null, []]);
  called.add(`${method} ${path}`);
  return json;
}

/** Asks again until the answer has what is wanted. */
async function once(operation: string, found: (json: Json) => unknown): Promise<Json> {
  for (;;) {
    const json = await ask(operation);
    if (found(json)) return json;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const publishTo = '/v2/publish/{destination}';
const later = { 'svc-delay': '1d' };
/** A body that is shown in Base64. */
const bytes = Buffer.from([0xff, 0x00]);

describe('with something of each kind, the document describes', () => {
  it('messages, their logs and dead letters', async () => {
    const to = (path: string) => `POST ${publishTo} ${endpoint.url}${path}`;
    const all = {
      'svc-label': 'a,b',
      'svc-callback': `${endpoint.url}/callback`,
      'svc-failure-callback': `${endpoint.url}/callback`,
      'svc-flow-control-key': 'key',
      'svc-flow-control-value': 'rate=9,parallelism=9,period=1m',
      'svc-redact-fields': 'header[x-secret]',
      'svc-forward-x-secret': 'secret',
      'svc-retry-delay': '1000',
      'svc-timeout': '30s',
    };
    const { messageId: done } = await ask(to('/ok'), 'x', all);
    const { messageId: failed } = await ask(to('/fail'), bytes, all);
    const { messageId: delayed } = await ask(to('/ok'), 'x', { ...later, ...all });
    await ask(to('/ok'), 'x', { 'svc-deduplication-id': 'one' });
    await ask(to('/ok'), 'x', { 'svc-deduplication-id': 'one' });
    const letters = await once('GET /v2/dlq', ({ messages }) => messages.length > 0);
    const dlqId = letters.messages[0].dlqId;
    await once('GET /v2/logs ?state=DELIVERED', ({ logs }) => logs.length > 1);
    for (const id of [done, failed, delayed]) {
      await ask(`GET /v2/messages/{id} ${id} ?final=true`);
      await ask(`GET /v2/messages/{id}/why ${id}`);
    }
    await ask('GET /v2/messages');
    await ask('GET /v2/events ?count=3');
    for (const by of ['state', 'url', 'label', 'flowControlKey']) {
      await ask(`GET /v2/logs/counts ?by=${by}&bucket=1h`);
    }
    await ask('GET /v2/dlq/groups');
    await ask(`GET /v2/dlq/{id} ${dlqId}`);
    await ask(`POST /v2/dlq/retry/{id} ${dlqId}`, undefined, later);
    await ask('POST /v2/dlq/retry', { label: 'none' });
    await ask('DELETE /v2/dlq ?label=none');
    await ask(`PATCH /v2/messages/{id} ${delayed}`, { delay: '2d' });
    await ask(`POST /v2/messages/{id}/deliver ${delayed}`);
    const { messageId: other } = await ask(to('/ok'), 'x', later);
    await ask(`DELETE /v2/messages/{id} ${other}`);
    await ask('DELETE /v2/messages', { label: 'none' });
    await ask('GET /v2/flowControl');
    for (const verb of ['pause', 'resume', 'reset', 'resetRate']) {
      await ask(`POST /v2/flowControl/{key}/${verb} key`);
    }
    await ask('POST /v2/flowControl/{key}/pin key ?rate=2&parallelism=3&period=60');
    await ask('GET /v2/flowControl/{key} key');
    await ask('GET /v2/flowControl/{key}/waiting key');
    await ask('POST /v2/flowControl/{key}/unpin key ?rate=true');
    await ask('POST /v2/flowControl/pause');
    await ask('POST /v2/flowControl/resume');
  });

  it('queues, URL groups, schedules and jobs', async () => {
    const { url } = endpoint;
    await ask('POST /v2/queues', { queueName: 'line', parallelism: 2, paused: true });
    await ask(`POST /v2/enqueue/{queueName}/{destination} line ${url}/ok`, 'x');
    await ask('GET /v2/queues');
    await ask('GET /v2/queues/{name} line');
    await ask('GET /v2/queues/{name}/waiting line');
    for (const verb of ['resume', 'pause']) await ask(`POST /v2/queues/{name}/${verb} line`);
    await ask('POST /v2/queues/resume');
    await ask('POST /v2/queues/pause');
    await ask('DELETE /v2/queues/{name} line');
    const endpoints = [{ name: 'a', url: `${url}/a` }, { url: `${url}/b` }];
    await ask('POST /v2/topics/{name}/endpoints team', { endpoints });
    await ask('PATCH /v2/topics/{name} team', { headers: { 'X-Team': ['1'] } });
    await ask('GET /v2/topics');
    await ask('GET /v2/topics/{name} team');
    await ask(`POST ${publishTo} team`, 'x', later);
    await ask('DELETE /v2/topics/{name}/endpoints team', { endpoints: [{ name: 'a' }] });
    const cron = { 'svc-cron': 'CRON_TZ=Europe/Berlin 0 9 * * 1', 'svc-schedule-id': 'weekly' };
    await ask('POST /v2/schedules/{id} team', 'x', { ...cron, ...later, 'svc-label': 'a' });
    await ask('POST /v2/schedules/{id}/trigger weekly');
    await ask('GET /v2/schedules');
    await ask('GET /v2/schedules/{id} weekly');
    await ask('GET /v2/schedules/{id}/next weekly');
    await ask('GET /v2/schedules/{id}/results weekly');
    await ask('POST /v2/schedules/preview', { cron: '0 9 * * *', zone: 'Europe/Paris' });
    for (const method of ['PATCH', 'POST']) {
      for (const verb of ['pause', 'resume']) {
        await ask(`${method} /v2/schedules/{id}/${verb} weekly`);
      }
    }
    await ask('DELETE /v2/schedules/{id} weekly');
    await ask('DELETE /v2/topics/{name} team');
    const job = { verb: 'cancel', over: 'messages', filter: { label: 'none' }, rate: 1 };
    await ask('POST /v2/jobs', { ...job, dryRun: true });
    const { jobId } = await ask('POST /v2/jobs', job);
    await once(`GET /v2/jobs/{id} ${jobId}`, ({ state }) => state === 'DONE');
    await ask('GET /v2/jobs');
    await ask('POST /v2/keys/rotate');
    await ask('GET /v2/globalParallelism');
  });

  it('runs, their waits and failed runs', async () => {
    const { url } = endpoint;
    const run = (id: string) => ({ 'svc-workflow-runid': id });
    const trigger = (path: string) => `POST /v2/trigger/{destination} ${url}${path}`;
    const retries = { 'svc-retries': '0' };
    const callback = { 'svc-failure-callback': `${url}/fail-too`, ...retries };
    await ask(trigger('/ok'), '{}', { ...run('waits'), ...later, 'svc-label': 'a' });
    for (const id of ['one', 'two', 'three']) {
      await ask(trigger('/fail'), '{}', { ...run(id), ...callback });
    }
    await ask('POST /v2/batch/trigger', [
      { destination: `${url}/fail`, headers: retries },
      { destination: 'x' },
    ]);
    const step = { stepId: 1, stepName: 'wait', stepType: 'Wait', concurrent: 1 };
    await ask('POST /v2/wait/{eventId} shipped', { step, timeout: '1d' }, run('waits'));
    await ask('GET /v2/waiters/{eventId} shipped');
    const ofRun = { ...run('waits'), ...later, 'svc-workflow-init': 'false' };
    const result = { stepId: 2, stepName: 'add', stepType: 'Run', concurrent: 1, out: '1' };
    const first = { destination: `${url}/ok`, headers: ofRun, body: JSON.stringify(result) };
    await ask('POST /v2/batch', [first]);
    await ask(`POST ${publishTo} ${url}/ok`, { ...result, stepId: 3 }, ofRun);
    const invocation = { workflowRunId: 'waits', step: { ...step, stepId: 4, stepType: 'Invoke' } };
    const invokes = { 'svc-workflow-init': 'true', 'svc-workflow-invoke': 'true' };
    await ask(`POST ${publishTo} ${url}/ok`, invocation, { ...invokes, ...later });
    for (const path of ['', '/why', '/waiters']) {
      await ask(`GET /v2/workflows/runs/{workflowRunId}${path} waits`);
    }
    await ask('POST /v2/workflows/runs/{workflowRunId}/token waits', { expiresIn: '1m' });
    await ask('POST /v2/notify/{eventId} shipped', 'data');
    await ask('POST /v2/notify/{workflowRunId}/{eventId} waits next', 'data');
    const isCalled = (each: Json) => each.failureFunctionState === 'CALLBACK_FAIL';
    const { messages } = await once('GET /v2/workflows/dlq', ({ messages: all }) => {
      return all.filter(isCalled).length === 3;
    });
    const [one, two, three] = messages.filter(isCalled).map(({ dlqId }: Json) => dlqId);
    await ask('GET /v2/dlq ?source=workflow');
    await ask(`GET /v2/workflows/dlq/{id} ${one}`);
    await ask(`POST /v2/workflows/dlq/callback/{id} ${one}`);
    await ask(`POST /v2/workflows/dlq/resume/{id} ${one}`, undefined, later);
    await ask(`POST /v2/workflows/dlq/restart/{id} ${two}`, undefined, later);
    await ask(`POST /v2/dlq/resume/{id} ${three}`, undefined, later);
    await ask('POST /v2/workflows/dlq/resume ?label=none');
    await ask('POST /v2/workflows/dlq/restart', undefined, later);
    await ask('DELETE /v2/workflows/dlq ?label=none');
    await ask('GET /v2/workflows/logs');
    await ask('GET /v2/workflows/events ?groupBy=workflowRunId');
    await ask('GET /v2/workflows/messageLogs');
    await ask(trigger('/ok'), '{}', { ...run('canceled'), ...later });
    await ask('DELETE /v2/workflows/runs/{workflowRunId} canceled');
    await ask('DELETE /v2/workflows/runs', { label: 'none' });
  });

  it('pages of rows that end before they are full, because of what they cost', async () => {
    const item = { destination: endpoint.url, headers: later };
    const items = Array.from({ length: 11_000 }, () => item);
    for (let batch = 0; batch < 2; batch += 1) await ask('POST /v2/batch/trigger', items);
    const rows = ['/v2/logs', '/v2/workflows/messageLogs', '/v2/workflows/events'];
    for (const path of [...rows, '/v2/workflows/logs', '/v2/messages']) {
      const page = await ask(`GET ${path} ?host=none`);
      expect(page).toMatchObject({ cursor: expect.any(String), searchedTo: expect.any(Number) });
    }
  });

  it('topics, groups, subscriptions and credentials', async () => {
    const rides = { topic: 'rides', partition: 0 };
    await ask('POST /admin/topics', { name: 'rides', partitions: 1, retentionMs: 86_400_000 });
    await ask('POST /produce/{topic} rides', [{ value: 'a', key: 'k' }, { value: null }]);
    await ask('POST /produce ?partial=true', [{ topic: 'rides', value: 'b' }, { topic: 'rides' }]);
    await ask('GET /produce/{topic}/{message} rides hello ?key=k');
    await ask('POST /webhook ?topic=rides', 'x', { 'x-custom': '1' });
    await ask('POST /fetch', { ...rides, offset: 0 });
    await ask('POST /offsets/{timestamp} latest', [rides]);
    const earliest = { 'stream-auto-offset-reset': 'earliest' };
    await ask('GET /consume/{group}/{instance}/{topic} g i rides', undefined, earliest);
    await ask('POST /consume/{group}/{instance} g i', { topics: ['rides'], timeout: 0 });
    await ask('POST /commit/{group}/{instance} g i', [{ ...rides, offset: 1 }]);
    await ask('POST /committed/{group}/{instance} g i', [rides]);
    await ask('POST /seek/{group}/{instance} g i', { ...rides, earliest: true });
    for (const path of ['/topics', '/consumers', '/admin/groups', '/admin/topics']) {
      await ask(`GET ${path}`);
    }
    await ask('GET /admin/groups/{group} g');
    await ask('DELETE /delete-consumer/{group}/{instance} g i');
    await ask('POST /admin/groups/{group}/offsets g', { topic: 'rides', to: 'latest' });
    await ask('DELETE /admin/groups/{group} g');
    const push = { name: 'push', topic: 'rides', destination: `${endpoint.url}/ok` };
    await ask('POST /admin/subscriptions', push, { 'svc-label': 'a' });
    await ask('GET /admin/subscriptions');
    await ask('POST /admin/subscriptions/{name}/pause push');
    await ask('GET /admin/subscriptions/{name} push');
    await ask('PATCH /admin/subscriptions/{name}/resume push');
    await ask('DELETE /admin/subscriptions/{name} push');
    await ask('PATCH /admin/topics/{name} rides', { partitions: 2 });
    await ask('POST /admin/topics/{name}/purge rides', { partition: 0, before: 1 });
    await ask('GET /admin/topics/{name} rides');
    await ask('DELETE /admin/topics/{name} rides');
    await ask('POST /admin/credentials', { name: 'c', topic: 'r*', permissions: 'ALL' });
    await ask('GET /admin/credentials');
    await ask('DELETE /admin/credentials/{name} c');
    await ask('POST /admin/tokens', { name: 't', role: 'read' });
    await ask('GET /admin/tokens');
    await ask('DELETE /admin/tokens/{name} t');
  });

  it('the server itself', async () => {
    const origin = new URL(endpoint.url).origin;
    for (const verb of ['pause', 'resume']) await ask(`POST /admin/origins/${verb}`, { origin });
    await ask('POST /admin/reach', { url: endpoint.url, head: true });
    for (const name of ['origins', 'overview', 'series', 'config', 'build']) {
      await ask(`GET /admin/${name}`);
    }
    await ask('GET /admin/journal/activity');
    await ask('GET /admin/journal/entity ?stream=run/one');
    await ask('POST /admin/backup', { path: 'one' });
    await once('GET /admin/backup', ({ state }) => state === 'done');
  });

  it('nearly every operation', () => {
    const all = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(all.filter((operation) => called.has(operation)).length).toBeGreaterThan(110);
  });
});
