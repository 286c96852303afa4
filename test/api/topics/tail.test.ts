import { EventSource } from '../../support/clients/event-source.js';
import { callLog, createCredential } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await callLog(server, '/admin/topics', { name: 'rides', partitions: 2 });
});

afterAll(() => server.remove());

interface Shown {
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly value: string;
}

const open = (query = '', lastId = '', authorization = server.basic, topic = 'rides') =>
  EventSource.open(`${server.url}/tail/${topic}${query}`, { authorization }, lastId);

async function produce(values: readonly string[], topic = 'rides'): Promise<void> {
  const records = values.map((value, index) => ({
    topic,
    value,
    key: `k${index % 3}`,
    partition: index % 2,
  }));
  expect((await callLog(server, '/produce', records)).status).toBe(200);
}

async function take(stream: EventSource, count: number): Promise<Shown[]> {
  return (await stream.take(count)).map(({ data }) => JSON.parse(data) as Shown);
}

const valuesOf = (records: readonly Shown[]) => records.map(({ value }) => value).sort();
const numbered = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => `v${String(from + index).padStart(3, '0')}`);

describe('the tail of a topic', () => {
  it('begins now, or at the newest records, an offset or a time', async () => {
    await produce(numbered(0, 10));
    const now = await open();
    const newest = await open('?from=newest-4');
    const offset = await open('?from=3&partition=1');
    const start = await open('?from=2001-01-01T00:00:00Z');
    const later = await open(`?from=${Date.now() + 3_600_000}`);
    await produce(numbered(10, 12));
    expect(valuesOf(await take(now, 2))).toEqual(numbered(10, 12));
    expect(valuesOf(await take(newest, 6))).toEqual(numbered(6, 12));
    expect((await take(offset, 3)).map(({ value }) => value)).toEqual(['v007', 'v009', 'v011']);
    expect(valuesOf(await take(start, 12))).toEqual(numbered(0, 12));
    expect(valuesOf(await take(later, 2))).toEqual(numbered(10, 12));
    for (const stream of [now, newest, offset, start, later]) stream.cut();
  });

  it('shows only records with a key, or whose values contain a text', async () => {
    await callLog(server, '/admin/topics', { name: 'words', partitions: 2 });
    await produce(['tea', 'coffee', 'teapot', 'cup', 'steam', 'tea for two'], 'words');
    const of = async (query: string, count: number) => {
      const stream = await open(`?from=earliest&${query}`, '', server.basic, 'words');
      const records = await take(stream, count);
      stream.cut();
      return valuesOf(records);
    };
    expect(await of('contains=tea', 4)).toEqual(['steam', 'tea', 'tea for two', 'teapot']);
    expect(await of('key=k1', 2)).toEqual(['coffee', 'steam']);
    expect(await of('key=k1&contains=tea', 1)).toEqual(['steam']);
  });

  it('shows each record once, however often its client is disconnected', async () => {
    await callLog(server, '/admin/topics', { name: 'long', partitions: 3 });
    const all = numbered(0, 200);
    const producing = (async () => {
      for (let at = 0; at < all.length; at += 10) await produce(all.slice(at, at + 10), 'long');
    })();
    const seen: Shown[] = [];
    let lastId = '';
    while (seen.length < all.length) {
      const stream = await open('?from=earliest', lastId, server.basic, 'long');
      seen.push(...(await take(stream, Math.min(7, all.length - seen.length))));
      lastId = stream.lastId;
      stream.cut();
    }
    await producing;
    expect(valuesOf(seen)).toEqual(all);
    const places = seen.map(({ partition, offset }) => `${partition}/${offset}`);
    expect(new Set(places).size).toBe(all.length);
  });

  it('reads new partitions from their start, beside the old ones', async () => {
    await callLog(server, '/admin/topics', { name: 'grown', partitions: 1 });
    const grow = (partitions: number) =>
      callLog(server, '/admin/topics/grown', { partitions }, { method: 'PATCH' });
    const put = (partition: number, value: string) =>
      callLog(server, '/produce', [{ topic: 'grown', partition, value }]);
    const now = await open('', '', server.basic, 'grown');
    const one = await open('?partition=0', '', server.basic, 'grown');
    await grow(2);
    await put(1, 'in the new one');
    expect(await take(now, 1)).toMatchObject([{ partition: 1, offset: 0 }]);
    expect(now.lastId).toBe('0:0,1:1');
    await put(0, 'in the old one');
    expect(await take(now, 1)).toMatchObject([{ partition: 0, offset: 0 }]);
    expect(await take(one, 1)).toMatchObject([{ partition: 0, offset: 0 }]);
    await grow(3);
    await put(2, 'while no client was there');
    for (const lastId of ['0:1', '0:0,1:1']) {
      const back = await open('', lastId, server.basic, 'grown');
      const values = valuesOf(await take(back, 2));
      expect(values).toContain('while no client was there');
      expect(values).toContain(lastId === '0:1' ? 'in the new one' : 'in the old one');
      back.cut();
    }
    for (const stream of [now, one]) stream.cut();
  });

  it('of all partitions ends with an error if the topic grows beyond 64', async () => {
    await callLog(server, '/admin/topics', { name: 'wide', partitions: 64 });
    const stream = await open('', '', server.basic, 'wide');
    await callLog(server, '/admin/topics/wide', { partitions: 65 }, { method: 'PATCH' });
    expect(await stream.next()).toMatchObject({
      type: 'error',
      data: expect.stringContaining('more than 64 partitions'),
    });
    expect(await stream.next()).toBeNull();
    await expect(open('', stream.lastId, server.basic, 'wide')).rejects.toThrow('400');
  });

  it.each(['x', '0', '0:1,', '0:-1', '0/1'])('refuses Last-Event-ID: %s', async (lastId) => {
    await expect(open('', lastId)).rejects.toThrow('400');
  });

  it('requires the right to read the topic', async () => {
    const reader = await createCredential(server, 'reader', 'CONSUME', 'rides');
    const other = await createCredential(server, 'other', 'CONSUME', 'bills');
    const producer = await createCredential(server, 'producer', 'PRODUCE', 'rides');
    await expect(open('', '', 'Basic bm86Ym9keQ==')).rejects.toThrow('401');
    for (const who of [other, producer]) await expect(open('', '', who)).rejects.toThrow('403');
    const stream = await open('?from=newest-1', '', reader);
    expect(await take(stream, 1)).toHaveLength(1);
    stream.cut();
  });

  it('ends with its topic', async () => {
    await callLog(server, '/admin/topics', { name: 'brief', partitions: 1 });
    const stream = await open('', '', server.basic, 'brief');
    const deleted = await fetch(`${server.url}/admin/topics/brief`, {
      method: 'DELETE',
      headers: { authorization: server.basic },
    });
    expect(deleted.status).toBe(200);
    expect(await stream.next()).toBeNull();
  });

  it.each([
    ['?from=yesterday', '400'],
    ['?from=newest-99999', '400'],
    ['?from=newest%2050', '400'],
    ['?from=-5', '400'],
    ['?from=5.5', '400'],
    ['?from=offset-5', '400'],
    ['?from=abc%205', '400'],
    ['?from=2026-02-31', '400'],
    ['?from=2026-02-01T25:00Z', '400'],
    ['?from=2026-02-01Z', '400'],
    ['?partition=x', '400'],
    ['?partition=7', '404'],
    ['?offset=1', '400'],
    [`?contains=${'x'.repeat(1025)}`, '400'],
  ])('refuses %s', async (query, status) => {
    await expect(open(query)).rejects.toThrow(status);
  });

  it('of a topic that does not exist is refused', async () => {
    await expect(open('', '', server.basic, 'none')).rejects.toThrow('404');
  });
});
