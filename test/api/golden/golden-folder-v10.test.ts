import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { call, GoldenFolder, publish, writtenAt } from '../../support/golden/golden-folder.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

const hourMs = 3_600_000;
const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v10', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

const paths = [
  '/v2/messages',
  '/v2/queues/line/waiting',
  '/v2/schedules/yearly',
  '/v2/logs?order=earliestFirst',
];

/** What the server can be asked of what was moved and triggered by hand. */
async function holdings(server: TestServer) {
  const held: Record<string, unknown> = {};
  for (const path of paths) held[path] = (await call(server, 'GET', path)).body;
  return held;
}

/** The ids of what is pending in a state. */
async function idsOf(server: TestServer, state: string): Promise<string[]> {
  const { body } = await call(server, 'GET', `/v2/messages?state=${state}`);
  return (body as { messages: { messageId: string }[] }).messages.map((each) => each.messageId);
}

/** What version 10 leaves behind otherwise than version 9: what a person has moved or triggered. */
async function writeFolder(): Promise<void> {
  const clock = new ManualClock(writtenAt);
  const server = await folder.start(clock);
  const later = { 'svc-delay': '2h', traceparent: trace };
  await publish(server, '/moved', { ...later, body: 'one' });
  const [moved = ''] = await idsOf(server, 'DELAYED');
  const far = JSON.stringify({ notBefore: writtenAt + 5 * hourMs });
  await call(server, 'PATCH', `/v2/messages/${moved}`, { body: far });
  for (const path of ['/first', '/second']) {
    const target = `/v2/enqueue/line/http://hooks.example.com${path}`;
    await call(server, 'POST', target, { 'svc-delay': '1h', body: path });
  }
  const [second = ''] = await idsOf(server, 'DELAYED');
  const soon = JSON.stringify({ notBefore: writtenAt + hourMs / 2 });
  await call(server, 'PATCH', `/v2/messages/${second}`, { body: soon });
  const schedule = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 'yearly', 'svc-delay': '3h' };
  const target = `/v2/schedules/http://hooks.example.com/yearly`;
  await call(server, 'POST', target, { ...schedule, body: 'again' });
  await call(server, 'POST', '/v2/schedules/yearly/pause');
  await call(server, 'POST', '/v2/schedules/yearly/trigger');
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 10', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal is printed as it was', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('knows what was moved, in its new order, and what was triggered by hand', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt);
    const server = await folder.start(clock);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);
    expect(await server.stop()).toBe(true);
  });
});
