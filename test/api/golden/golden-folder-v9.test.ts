import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { Engine } from '../../../src/engine/engine.js';
import { Journal } from '../../../src/engine/journal.js';
import { digestStanding } from '../../../src/engine/snapshots/live-digest.js';
import { MemoryDigests } from '../../../src/engine/snapshots/memory-digests.js';
import { call, GoldenFolder, publish, writtenAt } from '../../support/golden/golden-folder.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

const hourMs = 3_600_000;

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v9', { segmentBytes: 16 * 1024, reserveBytes: 0 });
});

afterEach(() => folder.close());

/** What the server can be asked of who may do something, and of what was reset. */
async function holdings(server: TestServer) {
  const held: Record<string, unknown> = {};
  for (const path of ['/admin/tokens', '/admin/groups/readers', '/v2/logs?order=earliestFirst']) {
    held[path] = (await call(server, 'GET', path)).body;
  }
  return held;
}

/** What a request of a token is answered; its text is kept nowhere but here. */
async function statusAs(server: TestServer, token: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'golden-token' };
  return (await call(server, 'GET', '/v2/queues', headers)).status;
}

/** The tokens that there are. */
async function namesOf(server: TestServer): Promise<string[]> {
  const { body } = await call(server, 'GET', '/admin/tokens');
  return (body as { name: string }[]).map(({ name }) => name);
}

/** As a snapshot does it, of which such a short journal sees none. */
async function recordDigest({ application: { nest } }: TestServer): Promise<void> {
  const own = { strict: false };
  await nest.get(Engine, own).durable();
  const { endOffset } = nest.get(Journal, own);
  const digest = await digestStanding(nest.get(Engine, own));
  if (digest === null) throw new Error('there is too much of it');
  await nest.get(MemoryDigests, own).record(endOffset, digest, 'golden', writtenAt);
}

/** What version 9 leaves behind otherwise than version 7: who caused each event, and tokens. */
async function writeFolder(): Promise<void> {
  const clock = new ManualClock(writtenAt);
  const server = await folder.start(clock);
  let made = 0;
  const as = (body = '') => {
    made += 1;
    return { 'x-request-id': `golden-${made}`, body };
  };
  const token = (name: string, role: string, expiresAt: number | null = null) =>
    call(server, 'POST', '/admin/tokens', as(JSON.stringify({ name, role, expiresAt })));
  const { body: operator } = await token('operator', 'operate');
  await token('gone', 'admin');
  await token('over', 'read', writtenAt + hourMs);
  await token('brief', 'read', writtenAt + 2 * hourMs);
  await call(server, 'DELETE', '/admin/tokens/gone', as());
  await publish(server, '/delivered', as('one'));
  await publish(server, '/failed', { ...as('two'), 'svc-retries': '0' });
  await folder.endpoint.received(2);
  while (
    ((await call(server, 'GET', '/v2/dlq')).body as { messages: unknown[] }).messages.length < 1
  );
  await call(server, 'POST', '/produce/rides', as('{"partition":0,"value":"x"}'));
  const earliest = { 'stream-auto-offset-reset': 'earliest', 'x-request-id': 'joins' };
  await call(server, 'GET', '/consume/readers/one/rides', earliest);
  await call(server, 'DELETE', '/delete-consumer/readers/one', as());
  const reset = JSON.stringify({ topic: 'rides', to: 'latest' });
  await call(server, 'POST', '/admin/groups/readers/offsets', as(reset));
  for (let count = 0; count < 12; count += 1) await statusAs(server, 'wrong');
  clock.advance(hourMs);
  while ((await namesOf(server)).length > 2);
  await recordDigest(server);
  const held = await holdings(server);
  await server.stop();
  await folder.keep({ ...held, operator: (operator as { token: string }).token });
}

describe('a data folder of version 9', () => {
  if (process.env['STEPWELL_WRITE_GOLDEN'] === '1') it('is written', writeFolder, 30_000);

  it('is whole, and its journal says who caused what', async () => {
    await folder.unpack();
    expect((await verifyFolder(folder.path)).problems).toEqual([]);
    const printed = await folder.printed();
    expect(printed).toBe((await folder.expected()).journal);
    expect(printed.split('\n').filter((line) => line !== '' && !line.includes(' by='))).toEqual([]);
  });

  it('lets its tokens in, but for those that are revoked or over', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt + hourMs);
    const server = await folder.start(clock);
    const { operator, ...held } = (await folder.expected()).holdings as Record<string, unknown>;
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);
    expect(await statusAs(server, operator)).toBe(200);
    expect(await statusAs(server, 'golden-wrong')).toBe(401);
    clock.advance(hourMs);
    while ((await namesOf(server)).length > 1);
    expect(await namesOf(server)).toEqual(['operator']);
    expect(await server.stop()).toBe(true);
  });
});
