/**
 * A data folder as version 1 left it: every later version must open it and hold the same.
 * STEPWELL_WRITE_GOLDEN=1 writes it anew, which is right only while nobody has such a folder.
 */
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printedLines } from '../../src/cli/journal-print.js';
import { readJournal } from '../../src/cli/journal-reader.js';
import { verifyFolder } from '../../src/cli/journal-verify.js';
import { Engine } from '../../src/engine/engine.js';
import { identifiersFrom } from '../../src/engine/identifiers.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { ManualClock } from '../support/manual-clock.js';
import { RecordingEndpoint, type ScriptedAnswer } from '../support/recording-endpoint.js';
import { startServer, type TestServer } from '../support/server.js';

const golden = 'test/golden/folder';
const isWriting = process.env['STEPWELL_WRITE_GOLDEN'] === '1';
const startedAt = 1_767_000_000_000;
const minute = 60_000;

let parent = '';
let folder = '';
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'stepwell-golden-'));
  folder = join(parent, 'data');
  endpoint = await RecordingEndpoint.start(({ url }) => answers[url] ?? {});
});

afterEach(async () => {
  await endpoint.stop();
  await rm(parent, { recursive: true });
});

const fixed = { Date: 'Mon, 29 Dec 2025 09:20:00 GMT' };
const answers: Record<string, ScriptedAnswer> = {
  '/delivered': { headers: fixed, body: 'thanks' },
  '/failed': { status: 500, headers: fixed, body: 'sorry' },
  '/retrying': { status: 503, headers: fixed },
  '/refused': { status: 489, headers: { ...fixed, 'Svc-NonRetryable-Error': 'true' } },
};

/** The server of the golden folder: its credentials, its endpoint's name, a clock that stands. */
function start(clock: ManualClock): Promise<TestServer> {
  const random = new SeededRandom(11);
  return startServer({
    dataDirectory: folder,
    environment: {
      STEPWELL_TOKEN: 'golden-token',
      STEPWELL_READ_TOKEN: 'golden-read-token',
      STEPWELL_REST_USERNAME: 'golden',
      STEPWELL_REST_PASSWORD: 'golden-password',
      STEPWELL_CURRENT_SIGNING_KEY: 'sig_golden_1',
      STEPWELL_NEXT_SIGNING_KEY: 'sig_golden_2',
      STEPWELL_HOST_OVERRIDES: `hooks.example.com=127.0.0.1:${endpoint.port}`,
    },
    ports: { clock, identifiers: identifiersFrom((length) => random.bytes(length)) },
  });
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function call(
  server: TestServer,
  method: string,
  path: string,
  { body = '', ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const authorization = path.startsWith('/v2/') ? server.bearer : server.basic;
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization, ...headers },
    ...(method === 'GET' ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const publish = async (server: TestServer, path: string, options: Record<string, string> = {}) => {
  const url = `/v2/publish/http://hooks.example.com${path}`;
  const answer = await call(server, 'POST', url, { body: `to ${path}`, ...options });
  return { status: answer.status, id: (answer.body as { messageId: string }).messageId };
};

const messagesOf = (server: TestServer) =>
  server.application.nest.get(Engine, { strict: false }).actors('message');

interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Everything the server can be asked for, and what its decisions go by. */
async function holdings(server: TestServer) {
  const messages = messagesOf(server);
  const ids = [...messages.ids()].sort();
  const shown = [];
  for (const id of ids) shown.push((await call(server, 'GET', `/v2/messages/${id}`)).body);
  const topics = (await call(server, 'GET', '/topics')).body as Record<string, number>;
  const places = Object.entries(topics).flatMap(([topic, partitions]) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic, partition })),
  );
  const ends = await call(server, 'POST', '/offsets/latest', { body: JSON.stringify(places) });
  const records = [];
  for (const { topic, partition, offset: end } of ends.body as Place[]) {
    // Where there is nothing to read a fetch would wait, on a clock that stands.
    if (end === 0) continue;
    const body = JSON.stringify({ topic, partition, offset: 0, timeout: 0 });
    records.push((await call(server, 'POST', '/fetch', { body })).body);
  }
  const keys = (await call(server, 'GET', '/v2/keys')).body;
  const letters = (await call(server, 'GET', '/v2/dlq')).body;
  return {
    states: ids.map((id) => [id, messages.find(id)]),
    shown,
    letters,
    keys,
    topics,
    records,
  };
}

async function printed(): Promise<string> {
  return readJournal(folder, async (journal) => {
    let text = '';
    for await (const line of journal === null ? [] : printedLines(journal, {})) text += `${line}\n`;
    return text;
  });
}

/** Settles when a message has no attempt under way any more: it is final or waits for the next. */
async function attempted(server: TestServer, id: string, attempts: number): Promise<void> {
  for (;;) {
    const state = messagesOf(server).find(id)?.state as { attempts: number } | undefined;
    if (state === undefined || state.attempts === attempts) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The journal's segment is filled with zeros ahead; they are cut off for git, and put back. */
const prepared = { file: 'logs/0000000000/0000000000.log', bytes: 64 * 1024 * 1024 };

async function unpackFolder(): Promise<void> {
  await cp(join(golden, 'v1'), folder, { recursive: true });
  await truncate(join(folder, prepared.file), prepared.bytes);
}

/** One of everything that a version 1 server can leave behind. */
async function writeFolder(): Promise<void> {
  const server = await start(new ManualClock(startedAt));
  for (const [path, retries] of Object.entries({ '/delivered': 3, '/failed': 0, '/refused': 3 })) {
    const { id } = await publish(server, path, { 'svc-retries': `${retries}` });
    await attempted(server, id, 1);
  }
  const retrying = { 'svc-retries': '5', 'svc-retry-delay': '60000', 'upstash-label': 'blue' };
  await attempted(server, (await publish(server, '/retrying', retrying)).id, 1);
  await publish(server, '/delayed', {
    'upstash-delay': '1h',
    'upstash-deduplication-id': 'once',
    'upstash-forward-x-tenant': 'acme',
    'upstash-flow-control-key': 'tenant',
    'upstash-flow-control-value': 'parallelism=2, rate=10, period=1m',
    'content-type': 'application/json',
  });
  const canceled = await publish(server, '/canceled', { 'svc-delay': '1h' });
  await call(server, 'DELETE', `/v2/messages/${canceled.id}`);
  await call(server, 'POST', '/v2/keys/rotate');
  const records = [
    { key: 'k1', value: 'with a key', headers: [{ key: 'trace', value: 'on' }] },
    { key: 'k2', value: 'größe' },
    { value: 'without a key', timestamp: startedAt - minute },
  ];
  await call(server, 'POST', '/produce/rides', { body: JSON.stringify(records) });
  await call(server, 'POST', '/produce/fares', {
    body: JSON.stringify({ value: '7', partition: 2 }),
  });
  const held = await holdings(server);
  await server.stop();
  // 64 MiB that every start makes again; LOCK is empty and git keeps no empty folder.
  for (const name of ['RESERVE', 'LOCK', 'tmp', 'quarantine']) {
    await rm(join(folder, name), { recursive: true });
  }
  const journal = await printed();
  const written = await readFile(join(folder, prepared.file));
  expect(written.length).toBe(prepared.bytes);
  await truncate(join(folder, prepared.file), written.findLastIndex((byte) => byte !== 0) + 1);
  await rm(join(golden, 'v1'), { recursive: true, force: true });
  await cp(folder, join(golden, 'v1'), { recursive: true });
  await writeFile(join(golden, 'v1.holdings.json'), `${JSON.stringify(held, null, 2)}\n`);
  await writeFile(join(golden, 'v1.journal.txt'), journal);
}

describe('a data folder of version 1', () => {
  if (isWriting) it('is written', writeFolder);

  it('is whole, and its journal reads as it did', async () => {
    await unpackFolder();
    const { lines, problems } = await verifyFolder(folder);
    expect(problems).toEqual([]);
    expect(lines.at(-1)).toBe('14 events, 9 streams: every chain holds');
    expect(await printed()).toBe(await readFile(join(golden, 'v1.journal.txt'), 'utf8'));
  });

  it('holds its messages, keys, topics and records, and the server goes on with them', async () => {
    await unpackFolder();
    const clock = new ManualClock(startedAt + 30_000);
    const server = await start(clock);
    const held = JSON.parse(await readFile(join(golden, 'v1.holdings.json'), 'utf8'));
    // Through JSON, as the expectation went.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toEqual(held);
    const idOf = (path: string): string =>
      held.shown.find(({ url }: { url: string }) => url.endsWith(path)).messageId;
    const [retrying, delayed] = [idOf('/retrying'), idOf('/delayed')];
    expect(held.shown).toHaveLength(2);
    const again = await publish(server, '/delayed', { 'svc-deduplication-id': 'once' });
    expect(again).toEqual({ status: 202, id: delayed });

    endpoint.answer(() => ({}));
    clock.advance(minute);
    await endpoint.received(1);
    clock.advance(60 * minute);
    const requests = await endpoint.received(2);
    expect(requests.map(({ url, headers, body }) => [url, headers, body.toString()])).toEqual([
      [
        '/retrying',
        expect.objectContaining({ 'svc-message-id': retrying, 'svc-retried': '1' }),
        'to /retrying',
      ],
      [
        '/delayed',
        expect.objectContaining({
          'upstash-message-id': delayed,
          'upstash-retried': '0',
          'x-tenant': 'acme',
        }),
        'to /delayed',
      ],
    ]);
    expect(await server.stop()).toBe(true);
  });
});
