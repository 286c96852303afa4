/** Messages that are due and rotted on the disk: they are held, and all others are delivered. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { ManualClock } from '../../support/manual-clock.js';
import { flipByteOf } from '../../support/program/flipped-byte.js';
import { startServer, type TestServer } from '../../support/server.js';

/** Fills the segment that the messages are in, so that it is sealed. */
const filler = 'x'.repeat(6_000_000);

let endpoint: RecordingEndpoint;
let server: TestServer;
let dataDirectory = '';
let runId = '';
const ids: Record<string, string> = {};

const post = async (path: string, headers: Record<string, string>, body: string) => {
  const answer = await callApi(server, 'POST', path, headers, body);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body as Record<string, string>;
};

/** Publishes a message whose body is its name, in a commit of its own. */
async function publish(name: string, path: string, headers: Record<string, string> = {}) {
  const to = `${path}/${endpoint.url}/${name}`;
  ids[name] = (await post(to, { 'svc-delay': '1s', ...headers }, `the body of ${name}.`))[
    'messageId'
  ] as string;
}

const arrived = () => new Set(endpoint.requests.map(({ url }) => url.slice(1)));

async function untilArrived(...names: string[]): Promise<void> {
  while (!names.every((name) => arrived().has(name))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const warnings = async () => {
  const { status, body } = await callApi(server, 'GET', '/health/ready');
  return { status, warnings: (body as { warnings?: string[] }).warnings };
};

const why = (name: string) => callApi(server, 'GET', `/v2/messages/${ids[name]}/why`);

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start(() => ({ status: 200 }));
  dataDirectory = await mkdtemp(join(tmpdir(), 'stepwell-damaged-'));
  // Its time stands still, so that it delivers nothing, however long the machine takes.
  const clock = new ManualClock(Date.now());
  server = await startServer({ dataDirectory, ports: { clock } });
  for (const name of ['first', 'rotten', 'last']) await publish(name, '/v2/publish');
  for (const name of ['rotten-of-queue', 'next-of-queue']) {
    await publish(name, '/v2/enqueue/line');
  }
  await publish('rotten-of-other', '/v2/enqueue/other');
  const trigger = `/v2/trigger/${endpoint.url}/run`;
  runId = (await post(trigger, { 'svc-delay': '1s' }, 'the rotten payload'))['workflowRunId'] ?? '';
  await post('/v2/publish/http://127.0.0.1:19999/x', { 'svc-delay': '1h' }, filler);
  await server.stop();
  const rotten = ['rotten', 'rotten-of-queue', 'rotten-of-other'];
  for (const name of rotten) await flipByteOf(`the body of ${name}.`, dataDirectory);
  await flipByteOf('the rotten payload', dataDirectory);
  server = await startServer({ dataDirectory });
}, 60_000);

afterAll(async () => {
  await server.stop();
  await endpoint.stop();
  await rm(dataDirectory, { recursive: true });
});

it('messages around the damaged ones are delivered, and the server goes on', async () => {
  await untilArrived('first', 'last');
  await publish('new', '/v2/publish');
  await untilArrived('new');
  expect(arrived()).toEqual(new Set(['first', 'last', 'new']));
}, 60_000);

it('says that they are damaged, where operators and programs look', async () => {
  const text = '4 messages are damaged on the disk and not delivered: run stepwell journal verify';
  expect(await warnings()).toEqual({ status: 200, warnings: [text] });
  const headers = { authorization: server.bearer };
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
  expect(metrics).toContain('\nstepwell_unreadable_messages 4\n');
  expect(await why('rotten')).toMatchObject({
    status: 200,
    body: { messageId: ids['rotten'], reason: 'unreadable' },
  });
});

it('a queue waits for its damaged message: what follows may not overtake it', async () => {
  expect(await why('next-of-queue')).toMatchObject({ body: { reason: 'queue_order' } });
});

it('the next start goes well, and holds the damaged messages again', async () => {
  await server.stop();
  server = await startServer({ dataDirectory });
  while ((await why('rotten-of-queue')).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect((await why('rotten')).body).toMatchObject({ reason: 'unreadable' });
  expect(arrived()).not.toContain('rotten');
}, 60_000);

it('it can be canceled, by its id or with its queue, and nothing is damaged any more', async () => {
  for (const name of ['rotten', 'rotten-of-queue']) {
    const { status } = await callApi(server, 'DELETE', `/v2/messages/${ids[name]}`);
    expect(status).toBe(200);
  }
  expect((await callApi(server, 'DELETE', '/v2/queues/other')).status).toBe(200);
  expect((await callApi(server, 'DELETE', `/v2/workflows/runs/${runId}`)).status).toBe(200);
  await untilArrived('next-of-queue');
  expect(await warnings()).toEqual({ status: 200, warnings: undefined });
}, 60_000);

it('says so of what was, where that cannot be read', async () => {
  const { status, body } = await callApi(server, 'GET', '/v2/messages?asOf=4');
  expect([status, body]).toEqual([
    500,
    {
      error: expect.stringMatching(/^data on the disk is damaged .*: logs\/\d+\/\d+\.log, bytes /),
    },
  ]);
}, 60_000);
