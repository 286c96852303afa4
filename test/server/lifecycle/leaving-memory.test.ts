import { Engine } from '../../../src/engine/engine.js';
import { itemsOf } from '../../../src/engine/snapshots/state-digest.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer, type TestServer } from '../../support/server.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/**
 * The time of one step, which passes at once; then the work that has come due gets its turns. After
 * a longer step, the readings of the overview, one every few seconds, would pile up.
 */
const stepMs = hourMs;

let clock: ManualClock;
let server: TestServer;
let endpoint: RecordingEndpoint;
let ticking: NodeJS.Timeout;

beforeAll(async () => {
  clock = new ManualClock();
  endpoint = await RecordingEndpoint.start();
  // Segments are too large for sweeps, so nothing leaves memory because its events were removed.
  server = await startServer({
    environment: { STEPWELL_DLQ_RETENTION: '4d', STEPWELL_GROUP_RETENTION: '4d' },
    ports: { clock, fileSizes: { segmentBytes: 1024 * 1024, reserveBytes: 0 } },
  });
  // Timers that wait for a moment fire.
  ticking = setInterval(() => clock.advance(10), 10);
});

afterAll(async () => {
  clearInterval(ticking);
  await server.remove();
  await endpoint.stop();
});

/** The keys of all entries of memory, by section: streams of a kind, entries of an index. */
function held(): Record<string, string[]> {
  const engine = server.application.nest.get(Engine, { strict: false });
  const found: Record<string, string[]> = {};
  for (const { section, key } of itemsOf(engine)) {
    found[section] = [...(found[section] ?? []), key];
  }
  return found;
}

async function call(method: string, path: string, headers = {}, body?: unknown): Promise<unknown> {
  const own = path.startsWith('/v2') ? {} : { authorization: server.basic };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await callApi(server, method, path, { ...own, ...headers }, text);
  expect([method, path, answer.status < 300, answer.body]).toEqual([
    method,
    path,
    true,
    answer.body,
  ]);
  return answer.body;
}

/** Waits until `isSo`, while no time of the server passes. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function publish(path: string, headers: Readonly<Record<string, string>> = {}) {
  const before = endpoint.requests.length;
  await call('POST', `/v2/publish/${endpoint.url}${path}`, { 'svc-retries': '0', ...headers }, 'x');
  await endpoint.received(before + 1);
}

const listed = async (path: string) =>
  ((await call('GET', path)) as { messages: readonly unknown[] }).messages.length;

async function timePasses(durationMs: number): Promise<void> {
  // A running attempt would time out.
  await until(() => held()['message'] === undefined);
  for (let passed = 0; passed < durationMs; passed += stepMs) {
    clock.advance(stepMs);
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Creates one of everything that ends at once or some time later. */
async function liveOnce(name: string): Promise<void> {
  endpoint.answer(({ url }) => ({ status: url.endsWith('/broken') ? 500 : 200 }));
  await publish('/x', {
    'svc-deduplication-id': name,
    'svc-flow-control-key': name,
    'svc-flow-control-value': 'parallelism=1,rate=10,period=1m',
    'svc-label': name,
  });
  await publish('/broken', { 'svc-failure-callback': `${endpoint.url}/reported` });
  await until(async () => (await listed('/v2/dlq')) > 0);
  await call('POST', `/v2/trigger/${endpoint.url}/broken`, { 'svc-retries': '0' }, 'x');
  await until(async () => (await listed('/v2/workflows/dlq')) > 0);
  const later = { 'svc-delay': '1h', 'svc-workflow-runid': name };
  await call('POST', `/v2/trigger/${endpoint.url}/x`, later, 'x');
  await call('POST', `/v2/notify/wfr_${name}/event`, {}, 'x').catch(() => undefined);
  await call('DELETE', '/v2/workflows/runs', {}, {});
  const cron = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': name };
  await call('POST', `/v2/schedules/${endpoint.url}/x`, cron, 'x');
  await call('DELETE', `/v2/schedules/${name}`);
  await call('POST', `/v2/topics/${name}/endpoints`, {}, { endpoints: [{ url: endpoint.url }] });
  await call('DELETE', `/v2/topics/${name}`);
  await call('POST', `/v2/queues`, {}, { queueName: name, parallelism: 1 });
  await call('DELETE', `/v2/queues/${name}`);
  const filter = { label: 'none' };
  await call('POST', '/v2/jobs', {}, { verb: 'cancel', over: 'messages', filter });
  await call('POST', '/admin/tokens', {}, { name, role: 'read' });
  await call('DELETE', `/admin/tokens/${name}`);
  const expiresAt = clock.now() + hourMs;
  await call('POST', '/admin/tokens', {}, { name: `${name}-expires`, role: 'read', expiresAt });
  await call('POST', '/admin/credentials', {}, { name, topic: '*', permissions: 'ALL' });
  await call('DELETE', `/admin/credentials/${name}`);
  await call('POST', '/admin/topics', {}, { name });
  await call('GET', `/consume/${name}/left/${name}?timeout=1`);
  await call('DELETE', `/delete-consumer/${name}/left`);
  await call('GET', `/consume/${name}/lost/${name}?timeout=1`);
  await call('GET', `/consume/${name}-kept/lost/kept?timeout=1`).catch(() => undefined);
  const push = { name, topic: name, destination: `${endpoint.url}/x` };
  await call('POST', '/admin/subscriptions', {}, push);
  await call('DELETE', `/admin/subscriptions/${name}`);
  await call('DELETE', `/admin/topics/${name}`);
  expect((await callApi(server, 'GET', '/v2/queues', { authorization: 'no' })).status).toBe(401);
}

it('streams that have ended leave memory', async () => {
  const before = held();
  for (const name of ['one', 'two', 'three']) {
    await liveOnce(name);
    await timePasses(dayMs);
  }
  // Entries that ended at once have left; those that are remembered for a while are still there.
  expect(Object.keys(held()).sort()).toEqual([
    ...['consumer-group', 'dead letters.letters', 'failed runs.letters', 'flow-control'],
    ...['group count.ofGroups', 'job', 'jobs.ended', 'journal-sweep'],
    ...['partition count.ofTopics', 'topic', 'topic partitions.growths'],
  ]);
  for (let day = 0; day < 9; day += 1) {
    await publish('/x');
    await timePasses(dayMs);
  }
  const kept = ['kept'];
  expect(held()).toEqual({
    ...before,
    // The server's record of its sweeps, and a topic that still exists.
    'journal-sweep': ['journal'],
    topic: kept,
    'partition count.ofTopics': kept,
    'topic partitions.growths': kept,
  });
}, 300_000);
