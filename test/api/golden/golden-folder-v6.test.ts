import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import {
  answerAt,
  call,
  GoldenFolder,
  publish,
  writtenAt,
} from '../../support/golden/golden-folder.js';
import { GoldenRuns } from '../../support/golden/golden-runs.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

/** Longer than what is stored of an answer that no callback tells of. */
const longAnswer = 'long '.repeat(16 * 1024);

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v6', { segmentBytes: 128 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

/** What the server can be asked of the long answer and of the runs with webhooks. */
async function holdings(server: TestServer) {
  const held: Record<string, unknown> = {};
  for (const path of [
    '/v2/logs?order=earliestFirst',
    '/v2/workflows/runs/wfr_early',
    '/v2/workflows/runs/wfr_waiting',
    '/v2/workflows/logs?order=earliestFirst',
    '/v2/waiters/early',
    '/v2/waiters/awaited',
  ]) {
    held[path] = (await call(server, 'GET', path)).body;
  }
  return held;
}

/** Calls the webhook of a run as a third party does: without credentials. */
async function callWebhook({ url }: TestServer, runId: string, eventId: string): Promise<number> {
  const path = `/v2/workflows/hooks/golden/${runId}/${eventId}`;
  const headers = { 'user-agent': 'third party', 'content-type': 'text/plain' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: 'called' });
  return response.status;
}

/** The result of the last step that a delivery of a run tells: an event, in Base64. */
function lastResult(body: Buffer): string {
  const entries = JSON.parse(body.toString()) as { readonly body: string }[];
  const step = Buffer.from(entries.at(-1)?.body ?? '', 'base64').toString();
  const { out } = JSON.parse(step) as { readonly out: string };
  return Buffer.from(out, 'base64').toString();
}

/** What version 6 leaves behind otherwise than version 5: cut answers, and webhooks with calls. */
async function writeFolder(): Promise<void> {
  const server = await folder.start(new ManualClock(writtenAt));
  folder.endpoint.answer(({ url }) =>
    url === '/long' ? { ...answerAt(url), body: longAnswer } : answerAt(url),
  );
  const runs = new GoldenRuns(server);
  await publish(server, '/long');
  await runs.announce('wfr_early', 'early');
  expect(await callWebhook(server, 'wfr_early', 'early')).toBe(200);
  await runs.announce('wfr_waiting', 'awaited');
  await runs.waitForCall('wfr_waiting', 'awaited', 2);
  await folder.endpoint.received(1);
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 6', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('holds a cut answer, and gives waits the calls of their webhooks', async () => {
    await folder.unpack();
    const server = await folder.start(new ManualClock(writtenAt));
    const runs = new GoldenRuns(server);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);
    const journal = await folder.printed();
    expect(journal).toMatch(/ MessageDelivered .* bodyTruncated=true \(body 65536 bytes\)/);
    expect(journal).toMatch(/ NotificationStored .* isCall=true/);

    expect(await callWebhook(server, 'wfr_waiting', 'early')).toBe(404);
    expect(await callWebhook(server, 'wfr_waiting', 'awaited')).toBe(200);
    // The call came before its wait, and was kept for it.
    await runs.waitForCall('wfr_early', 'early', 2);
    const delivered = await folder.endpoint.received(2);
    const ids = delivered.map(({ headers }) => headers['svc-workflow-runid']);
    expect(ids.sort()).toEqual(['wfr_early', 'wfr_waiting']);
    for (const { body } of delivered) expect(lastResult(body)).toContain('third party');
    expect(await server.stop()).toBe(true);
  });
});
