import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { Engine } from '../../../src/engine/engine.js';
import { call, GoldenFolder, publish, writtenAt } from '../../support/golden/golden-folder.js';
import { ManualClock } from '../../support/manual-clock.js';
import type { TestServer } from '../../support/server.js';

const minute = 60_000;

let folder: GoldenFolder;

beforeEach(async () => {
  folder = await GoldenFolder.open('v1');
});

afterEach(() => folder.close());

const messagesOf = (server: TestServer) =>
  server.application.nest.get(Engine, { strict: false }).actors('message');

interface Shown {
  readonly url: string;
  readonly messageId: string;
}

interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Everything the server can be asked for. */
async function holdings(server: TestServer) {
  const ids = [...messagesOf(server).ids()].sort();
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
    shown,
    letters,
    keys,
    topics,
    records,
  };
}

describe('a data folder of version 1', () => {
  it('is whole, and its journal reads as it did', async () => {
    await folder.unpack();
    const { lines, problems } = await verifyFolder(folder.path);
    expect(problems).toEqual([]);
    expect(lines.at(-1)).toBe('14 events, 9 streams: every chain holds');
    expect(await folder.printed()).toBe((await folder.expected()).journal);
  });

  it('holds its messages, keys, topics and records, and the server goes on with them', async () => {
    await folder.unpack();
    const clock = new ManualClock(writtenAt + 30_000);
    const server = await folder.start(clock);
    const held = (await folder.expected()).holdings as { shown: Shown[] };
    // Through JSON, as the expectation went.
    // Answers may have got fields since the folder was written, and have lost none.
    expect(JSON.parse(JSON.stringify(await holdings(server)))).toMatchObject(held as object);
    const idOf = (path: string) => held.shown.find(({ url }) => url.endsWith(path))?.messageId;
    const [retrying, delayed] = [idOf('/retrying'), idOf('/delayed')];
    expect(held.shown).toHaveLength(2);
    const again = await publish(server, '/delayed', { 'svc-deduplication-id': 'once' });
    expect(again).toEqual({ status: 202, id: delayed });

    folder.endpoint.answer(() => ({}));
    clock.advance(minute);
    await folder.endpoint.received(1);
    clock.advance(60 * minute);
    const requests = await folder.endpoint.received(2);
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
