import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { JournalSweeps } from '../../../src/engine/history/journal-sweeps.js';
import { Journal } from '../../../src/engine/journal.js';
import { call, GoldenFolder, publish, writtenAt } from '../../support/golden/golden-folder.js';
import { sweepAll } from '../../support/golden/golden-sweep.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v12', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

/** What the server can be asked of messages. */
async function holdings(server: TestServer) {
  const held: Record<string, unknown> = {};
  for (const path of ['/v2/logs?order=earliestFirst', '/v2/dlq']) {
    held[path] = (await call(server, 'GET', path)).body;
  }
  return held;
}

/** What version 12 leaves behind otherwise than version 9: a sweep that was begun, and cut off. */
async function writeFolder(): Promise<void> {
  const clock = new ManualClock(writtenAt);
  const server = await folder.start(clock);
  for (let count = 0; count < 3; count += 1) await publish(server, '/delivered');
  await publish(server, '/failed', { 'svc-retries': '0' });
  await publish(server, '/delivered', { 'svc-delay': '1h' });
  await folder.endpoint.received(4);
  while (
    ((await call(server, 'GET', '/v2/dlq')).body as { messages: unknown[] }).messages.length < 1
  );
  await sweepAll(server, clock.now());
  await publish(server, '/delivered', { 'svc-delay': '2h' });
  const own = { strict: false };
  const { nest } = server.application;
  const edge = nest.get(Journal, own).highWatermark;
  await nest.get(JournalSweeps, own).begin(edge, clock.now());
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 12', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('holds what its sweep has left, is swept again, and delivers what waits', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt);
    const server = await folder.start(clock);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);
    await sweepAll(server, clock.now());
    clock.advance(2 * 3_600_000);
    const delivered = await folder.endpoint.received(2);
    expect(delivered.map(({ body }) => String(body))).toEqual(['to /delivered', 'to /delivered']);
    expect(await server.stop()).toBe(true);
  });
});
