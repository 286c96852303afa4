import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { Engine } from '../../../src/engine/engine.js';
import { answerAt, call, GoldenFolder, writtenAt } from '../../support/golden/golden-folder.js';
import { GoldenMessaging } from '../../support/golden/golden-messaging.js';
import { delayMs, GoldenRuns } from '../../support/golden/golden-runs.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

/** A schedule was due while the folder was written. */
const leftAt = writtenAt + 60_000;

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v3');
});

afterEach(() => folder.close());

/** Everything that the server can be asked for. */
async function holdings(server: TestServer) {
  const engine = server.application.nest.get(Engine, { strict: false });
  const idsOf = (kind: string) => [...engine.actors(kind).ids()].sort();
  const held: Record<string, unknown> = {};
  for (const path of [
    ...idsOf('message').map((id) => `/v2/messages/${id}`),
    ...idsOf('run').map((id) => `/v2/workflows/runs/${id}`),
    '/v2/queues',
    '/v2/topics',
    '/v2/flowControl',
    '/v2/schedules',
    '/v2/keys',
    '/v2/dlq',
    '/v2/logs?order=earliestFirst&count=1000',
    '/v2/waiters/paid',
    '/v2/workflows/dlq',
    '/v2/workflows/logs?order=earliestFirst&state=RUN_STARTED',
    '/v2/workflows/logs?order=earliestFirst&state=RUN_SUCCESS,RUN_FAILED,RUN_CANCELED',
    '/v2/workflows/messageLogs?order=earliestFirst',
    '/admin/credentials',
  ]) {
    held[path] = (await call(server, 'GET', path)).body;
  }
  return held;
}

/** One of everything that version 3 can leave behind. */
async function writeFolder(): Promise<void> {
  const clock = new ManualClock(writtenAt);
  const server = await folder.start(clock);
  const runs = new GoldenRuns(server);
  folder.endpoint.answer(async ({ url }) => {
    if (url === '/ending') await runs.end('wfr_ending', '?cancel=false', '"ended"');
    return answerAt(url);
  });
  await new GoldenMessaging(server, clock).happen();
  await runs.happen();
  const held = await holdings(server);
  await server.stop();
  await folder.keep(held);
}

describe('a data folder of version 3', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('holds its runs, letters, waiters and all else, and goes on with them', async () => {
    await folder.unpack();
    const clock = new ManualClock(leftAt);
    const server = await folder.start(clock);
    const { holdings: held } = await folder.expected();
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);

    const runs = new GoldenRuns(server);
    await runs.end('wfr_child', '?cancel=false', '"grown up"');
    const [report] = await folder.endpoint.received(1);
    expect(report?.headers['x-tenant']).toBe('acme');
    const entries = JSON.parse(String(report?.body)) as { body: string }[];
    const texts = entries.map(({ body }) => Buffer.from(body, 'base64').toString());
    expect(texts[0]).toBe('payload');
    expect(texts).toHaveLength(5);
    expect(JSON.parse(texts[4] ?? '')).toMatchObject({
      stepId: 5,
      out: JSON.stringify({
        workflowRunId: 'wfr_child',
        body: '"grown up"',
        isCanceled: false,
        isFailed: false,
      }),
    });

    clock.advance(delayMs);
    await runs.logged('RUN_FAILED', 6);
    const paths = () => new Set(folder.endpoint.requests.map(({ url }) => url));
    for (const path of ['/third', '/told', '/retrying', '/second', '/b', '/minutely', '/refused']) {
      while (!paths().has(path)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(paths()).not.toContain('/canceled');
    expect(await server.stop()).toBe(true);
  });
});
