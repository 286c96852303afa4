import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { Journal } from '../../../src/engine/journal.js';
import { call, GoldenFolder, writtenAt } from '../../support/golden/golden-folder.js';
import { sweepAll } from '../../support/golden/golden-sweep.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

const hook = 'http://hooks.example.com';
/** Every other event of a stream is followed by a checkpoint, or nearly. */
const ports = { streamSizes: { eventsPerCheckpoint: 3 } };
/** Kinds whose streams live for years, as they were then. */
const lastingKinds = [
  'consumer-group',
  'flow-control',
  'journal-sweep',
  'queue',
  'schedule',
  'signing-keys',
  'subscription',
  'subscription-partition',
  'topic',
  'url-group',
];

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v8', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

/** What is configured. */
async function holdings(server: TestServer) {
  const held: Record<string, unknown> = {};
  for (const path of [
    '/v2/schedules',
    '/v2/queues',
    '/v2/flowControl',
    '/v2/topics',
    '/v2/keys',
    '/admin/topics',
    '/admin/groups',
    '/admin/subscriptions',
  ]) {
    held[path] = (await call(server, 'GET', path)).body;
  }
  return held;
}

/** What of it happens again and again. */
async function change(server: TestServer, round: number): Promise<void> {
  const asked: [method: string, path: string, body?: string][] = [
    ['PATCH', '/v2/schedules/toggled/pause'],
    ['PATCH', '/v2/schedules/toggled/resume'],
    ['POST', '/v2/queues', JSON.stringify({ queueName: 'line', parallelism: round + 1 })],
    ['POST', `/v2/flowControl/pinned/pin?parallelism=${round + 1}`],
    ['PATCH', '/v2/topics/team', `{"headers":{"X-Round":["${round}"]}}`],
    ['POST', '/v2/keys/rotate'],
    ['PATCH', '/admin/topics/orders', JSON.stringify({ partitions: round + 2 })],
    ['POST', '/admin/subscriptions/pushed/pause'],
    ['POST', '/admin/subscriptions/pushed/resume'],
    ['POST', '/consume/readers/one', '{"topic":"orders","timeout":0}'],
    ['POST', '/delete-consumer/readers/one'],
  ];
  for (const [method, path, body = ''] of asked) {
    const answer = await call(server, method, path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  }
}

async function checkpointedKinds(server: TestServer): Promise<string[]> {
  const kinds = new Set<string>();
  for await (const turn of server.application.nest.get(Journal).replay()) {
    for (const { kind, event } of turn) if (event.type === 'Checkpointed') kinds.add(kind);
  }
  return [...kinds].sort();
}

/** What version 8 leaves behind otherwise than version 7: checkpoints, of every kind with them. */
async function writeFolder(): Promise<void> {
  const clock = new ManualClock(writtenAt);
  const server = await folder.start(clock, ports);
  await call(server, 'POST', `/v2/schedules/${hook}/toggled`, {
    body: 'on time',
    'svc-cron': '* * * * *',
    'svc-schedule-id': 'toggled',
  });
  const endpoints = JSON.stringify({ endpoints: [{ url: `${hook}/a`, name: 'a' }] });
  await call(server, 'POST', '/v2/topics/team/endpoints', { body: endpoints });
  await call(server, 'POST', '/admin/topics', { body: '{"name":"orders","partitions":1}' });
  const pushed = { name: 'pushed', topic: 'orders', destination: `${hook}/pushed` };
  await call(server, 'POST', '/admin/subscriptions', { body: JSON.stringify(pushed) });
  for (let round = 0; round < 4; round += 1) {
    await change(server, round);
    await sweepAll(server, clock.now());
  }
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 8', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('has a checkpoint of every kind that lives for years, and holds what it held', async () => {
    await folder.unpack();
    const server = await folder.start(new ManualClock(writtenAt), ports);
    expect(await checkpointedKinds(server)).toEqual(lastingKinds);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);
    await change(server, 5);
    expect(await server.stop()).toBe(true);
  });
});
