import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { Engine } from '../../../src/engine/engine.js';
import { call, GoldenFolder, publish, writtenAt } from '../../support/golden/golden-folder.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

const minute = 60_000;
const hook = 'http://hooks.example.com';

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v2');
});

afterEach(() => folder.close());

const messagesOf = (server: TestServer) =>
  server.application.nest.get(Engine, { strict: false }).actors('message');

/** Everything of the messaging service that the server can be asked for. */
async function holdings(server: TestServer) {
  const ids = [...messagesOf(server).ids()].sort();
  const held: Record<string, unknown> = {};
  for (const path of [
    ...ids.map((id) => `/v2/messages/${id}`),
    '/v2/queues',
    '/v2/topics',
    '/v2/flowControl',
    '/v2/schedules',
    '/v2/dlq',
    '/v2/logs?order=earliestFirst',
  ]) {
    held[path] = (await call(server, 'GET', path)).body;
  }
  return held;
}

/** Settles once the journal's listing has so many rows in this state. */
async function logged(server: TestServer, state: string, count: number): Promise<void> {
  for (;;) {
    const { body } = await call(server, 'GET', `/v2/logs?state=${state}&count=1000`);
    if ((body as { logs: unknown[] }).logs.length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** One of everything that the messaging service of version 2 can leave behind. */
async function writeFolder(): Promise<void> {
  const server = await folder.start(new ManualClock(writtenAt));
  const post = (path: string, body = '', headers: Record<string, string> = {}) =>
    call(server, 'POST', path, { body, ...headers });
  const endpoints = [{ url: `${hook}/a`, name: 'a' }, { url: `${hook}/b` }];
  await post('/v2/topics/team/endpoints', JSON.stringify({ endpoints }));
  await call(server, 'PATCH', '/v2/topics/team', { body: '{"headers":{"X-Team":["one"]}}' });
  await post('/v2/publish/team', 'to all', { 'svc-delay': '1h', 'svc-label': 'blue,green' });

  const retrying = { 'svc-retries': '5', 'svc-retry-delay': '60000' };
  await post(`/v2/enqueue/orders/${hook}/retrying`, 'first', retrying);
  await logged(server, 'RETRY', 1);
  await post(`/v2/enqueue/orders/${hook}/second`, 'second');

  const limits = {
    'svc-flow-control-key': 'tenant',
    'svc-flow-control-value': 'rate=1, period=1h',
  };
  await publish(server, '/delivered', limits);
  await logged(server, 'DELIVERED', 1);
  await publish(server, '/delivered', { ...limits, 'svc-redact-fields': 'body,header[X-Key]' });
  await post('/v2/flowControl/pinned/pin?parallelism=3');

  const called = {
    'svc-callback': `${hook}/called`,
    'svc-callback-delay': '1h',
    'svc-failure-callback': `${hook}/failed-for-good`,
    'svc-failure-callback-delay': '1h',
    'svc-failure-callback-forward-x-key': 'k',
  };
  await publish(server, '/failed', { 'svc-retries': '0', ...called });
  await publish(server, '/refused', { 'svc-label': 'retried' });
  await publish(server, '/refused', { 'svc-label': 'deleted' });
  await logged(server, 'FAILED', 3);
  await post('/v2/dlq/retry?label=retried', '', { 'svc-delay': '2h' });
  await call(server, 'DELETE', '/v2/dlq?label=deleted');

  const nightly = { 'svc-cron': 'CRON_TZ=Europe/Berlin 0 3 * * *', 'svc-schedule-id': 'nightly' };
  await post('/v2/schedules/team', 'every night', nightly);
  const hourly = { 'svc-cron': '0 * * * *', 'svc-schedule-id': 'hourly', 'svc-retries': '1' };
  await post(`/v2/schedules/${hook}/hourly`, 'every hour', hourly);
  await call(server, 'PATCH', '/v2/schedules/hourly/pause');

  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

/** Flow-control keys were listed by their first use, and are by their names. */
function keysByName(held: unknown): object {
  const answers = held as { '/v2/flowControl': { flowControls: { flowControlKey: string }[] } };
  const { flowControls } = answers['/v2/flowControl'];
  flowControls.sort((one, other) => (one.flowControlKey < other.flowControlKey ? -1 : 1));
  return answers;
}

describe('a data folder of version 2', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('holds its groups, queues, keys, letters and schedules, and goes on with them', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt);
    const server = await folder.start(clock);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(keysByName(held));

    folder.endpoint.answer(() => ({}));
    const paths = async (count: number) =>
      (await folder.endpoint.received(count)).map(({ url }) => url);
    clock.advance(minute);
    // The queue goes on in its order; the key's window is still open.
    expect(await paths(2)).toEqual(['/retrying', '/second']);
    await logged(server, 'DELIVERED', 3);
    clock.advance(60 * minute);
    expect((await paths(7)).slice(2).sort()).toEqual(
      ['/a', '/b', '/called', '/delivered', '/failed-for-good'].sort(),
    );
    await logged(server, 'DELIVERED', 8);
    clock.advance(60 * minute);
    expect((await paths(8))[7]).toBe('/refused');
    const failed = folder.endpoint.requests.find(({ url }) => url === '/failed-for-good');
    expect(failed?.headers['x-key']).toBe('k');
    expect(JSON.parse(String(failed?.body))).toMatchObject({
      status: 500,
      body: Buffer.from('sorry').toString('base64'),
      sourceBody: Buffer.from('to /failed').toString('base64'),
      dlqId: expect.any(String),
    });
    expect(await server.stop()).toBe(true);
  });
});
