import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { answerAt, call, GoldenFolder, writtenAt } from '../../support/golden/golden-folder.js';
import { GoldenRuns } from '../../support/golden/golden-runs.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

const retryMs = 600_000;

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v5', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

/** What the server can be asked of runs. */
async function holdings(server: TestServer) {
  const held: Record<string, unknown> = {};
  for (const path of [
    '/v2/workflows/runs/wfr_taken',
    '/v2/logs?order=earliestFirst',
    '/v2/workflows/messageLogs?order=earliestFirst',
    '/v2/workflows/messageLogs?order=earliestFirst&label=begun',
    '/v2/workflows/messageLogs?order=earliestFirst&label=taken',
    '/v2/workflows/logs?order=earliestFirst',
    '/v2/workflows/logs?order=earliestFirst&label=begun',
    '/v2/workflows/logs?order=earliestFirst&label=taken',
  ]) {
    held[path] = (await call(server, 'GET', path)).body;
  }
  return held;
}

/** What version 5 leaves behind otherwise than version 3: runs that their endpoint took over. */
async function writeFolder(): Promise<void> {
  const server = await folder.start(new ManualClock(writtenAt));
  const runs = new GoldenRuns(server);
  folder.endpoint.answer(async ({ url }) => {
    if (url === '/ending') await runs.end('wfr_ending', '?cancel=false', '"ended"');
    return answerAt(url);
  });
  const begun = { 'svc-workflow-unknown-sdk': 'true', 'svc-delay': '1h', 'svc-label': 'begun' };
  const taken = { 'svc-workflow-trigger-by-sdk': 'true', 'svc-label': 'taken' };
  const patient = { 'svc-retry-delay': String(retryMs) };
  await runs.start('wfr_taken', '/retrying', begun);
  await runs.start('wfr_taken', '/retrying', { ...taken, ...patient });
  await runs.logged('RETRY', 1);
  await runs.start('wfr_ending', '/ending', begun);
  await runs.start('wfr_ending', '/ending', taken);
  await runs.logged('RUN_SUCCESS', 1);
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 5', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('holds its runs, and delivers to the one that goes on as it was taken over', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt);
    const server = await folder.start(clock);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);
    clock.advance(retryMs);
    const [retried] = await folder.endpoint.received(1);
    expect(retried).toMatchObject({ url: '/retrying', headers: { 'svc-retried': '1' } });
    expect(retried?.headers).not.toHaveProperty('svc-workflow-unknown-sdk');
    expect(await server.stop()).toBe(true);
    expect(folder.endpoint.requests).toHaveLength(1);
  });
});
