import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { call, GoldenFolder, publish, writtenAt } from '../../support/golden/golden-folder.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v13', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

/** What the server says of its queues and logs. */
async function holdings(server: TestServer) {
  const held: Record<string, unknown> = {};
  for (const path of ['/v2/queues', '/v2/logs?order=earliestFirst']) {
    held[path] = (await call(server, 'GET', path)).body;
  }
  return held;
}

/** What version 13 leaves behind otherwise than those before: that something was revealed. */
async function writeFolder(): Promise<void> {
  const server = await folder.start(new ManualClock(writtenAt));
  let made = 0;
  const as = (body = '') => {
    made += 1;
    return { 'x-request-id': `golden-${made}`, body };
  };
  await call(server, 'POST', '/v2/queues', as(JSON.stringify({ queueName: 'q' })));
  await publish(server, '/later', { ...as('one'), 'svc-delay': '1h' });
  await call(server, 'GET', '/admin/journal/entity?stream=queue/q&reveal=true', as());
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 13', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal says who was shown what', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    const printed = await folder.printed();
    expect(printed).toBe((await folder.expected()).journal);
    expect(printed).toMatch(/JournalRevealed by=rest:\S+ what=entity stream=queue\/q/);
  });

  it('is served as it was', async () => {
    await folder.unpack();
    const server = await folder.start(new ManualClock(writtenAt));
    const held = JSON.parse(JSON.stringify(await holdings(server)));
    // Answers may have got fields since the folder was written, and have lost none.
    expect(held).toMatchObject((await folder.expected()).holdings as object);
    expect(await server.stop()).toBe(true);
  });
});
