import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { call, GoldenFolder, publish, writtenAt } from '../../support/golden/golden-folder.js';
import { sweepAll } from '../../support/golden/golden-sweep.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v7', { segmentBytes: 16 * 1024, reserveBytes: 0 });
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

/** What version 7 leaves behind otherwise than version 5: a journal that was swept. */
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
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 7', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('holds what its sweep has left, and delivers what waits', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt);
    const server = await folder.start(clock);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);
    clock.advance(3_600_000);
    const [delivered] = await folder.endpoint.received(1);
    expect(String(delivered?.body)).toBe('to /delivered');
    expect(await server.stop()).toBe(true);
  });
});
