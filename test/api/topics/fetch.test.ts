import { connect } from 'node:net';
import { callLog, createCredential, type LogCall } from '../../support/clients/log-api.js';
import { readersWait } from '../../support/clients/log-waits.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

const call = (path: string, body?: unknown, options?: LogCall) =>
  callLog(server, path, body, options);

const base64: LogCall = { headers: { 'stream-encoding': 'base64' } };

describe('a fetch', () => {
  it('is answered as soon as there is a record', async () => {
    await call('/produce/poll', { value: 'first', partition: 0 });
    const waiting = call('/fetch', { topic: 'poll', partition: 0, offset: 1, timeout: 60_000 });
    await readersWait(server, 'poll', 0, 1);
    await call('/produce/poll', { value: 'second', partition: 0 });
    expect((await waiting).body).toMatchObject([{ offset: 1, value: 'second' }]);
  });

  it('that waits is answered when the server stops', async () => {
    const other = await startServer();
    await callLog(other, '/produce/t', { value: 'v', partition: 0 });
    const waiting = callLog(other, '/fetch', {
      topic: 't',
      partition: 0,
      offset: 1,
      timeout: 60_000,
    });
    await readersWait(other, 't', 0, 1);
    await other.remove();
    expect((await waiting).body).toEqual([]);
  });

  it('of several positions wakes for any of them and keeps the requested order', async () => {
    await call('/produce/many', { value: 'a', partition: 2 });
    const waiting = call('/fetch', {
      timeout: 60_000,
      topicPartitionOffsets: [
        { topic: 'many', partition: 0, offset: 0 },
        { topic: 'many', partition: 1, offset: 0 },
      ],
    });
    await call('/produce/many', { value: 'b', partition: 1 });
    expect((await waiting).body).toMatchObject([{ partition: 1, value: 'b' }]);
    const { body } = await call('/fetch', {
      topic: 'many',
      partition: 2,
      offset: 0,
      topicPartitionOffsets: [{ topic: 'many', partition: 1, offset: 0 }],
    });
    expect(body).toMatchObject([{ value: 'b' }, { value: 'a' }]);
    // As written by clients that have the field without a value.
    const topicPartitionOffsets = [{ topic: 'many', partition: 1, offset: 0 }];
    const nameless = await call('/fetch', { topic: null, topicPartitionOffsets });
    expect(nameless.body).toMatchObject([{ value: 'b' }]);
  });

  it('is answered with nothing after its timeout, and at once if it has none', async () => {
    await call('/produce/quiet', { value: 'v', partition: 0 });
    for (const timeout of [0, 30]) {
      const place = { topic: 'quiet', partition: 0, offset: 1, timeout };
      expect(await call('/fetch', place)).toMatchObject({ status: 200, body: [] });
    }
  });

  it('whose client has disconnected holds nothing any more', async () => {
    await call('/produce/gone', { value: 'v', partition: 0 });
    const body = JSON.stringify({ topic: 'gone', partition: 0, offset: 1, timeout: 60_000 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /fetch HTTP/1.1\r\nhost: x\r\nauthorization: ${server.basic}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
    await readersWait(server, 'gone', 0, 1);
    socket.destroy();
    await readersWait(server, 'gone', 0, 0);
    await call('/produce/gone', { value: 'w', partition: 0 });
    const place = { topic: 'gone', partition: 0, offset: 1 };
    expect((await call('/fetch', place)).body).toMatchObject([{ value: 'w' }]);
  });

  it('with GET and a body works as with POST', async () => {
    await call('/produce/get', { value: 'v', partition: 0 });
    const { request } = await import('undici');
    const { body } = await request(`${server.url}/fetch`, {
      method: 'GET',
      headers: { authorization: server.basic },
      body: JSON.stringify({ topic: 'get', partition: 0, offset: 0 }),
    });
    expect(await body.json()).toMatchObject([{ value: 'v' }]);
  });

  it('can begin at a time and end before a time', async () => {
    const records = [1000, 2000, 3000].map((timestamp) => ({
      value: `at ${timestamp}`,
      timestamp,
      partition: 0,
    }));
    await call('/produce/times', records);
    const place = { topic: 'times', partition: 0 };
    const range = { ...place, timestamp: 1500, untilTimestamp: 3000 };
    expect((await call('/fetch', range)).body).toMatchObject([{ value: 'at 2000' }]);
    expect((await call('/fetch', { ...place, timestamp: 9000, timeout: 0 })).body).toEqual([]);
  });

  it('returns no more records than it requests', async () => {
    const records = Array.from({ length: 700 }, (_, index) => ({
      value: `${index}`,
      partition: 0,
    }));
    await call('/produce/long', records);
    const place = { topic: 'long', partition: 0, offset: 0 };
    const lengthOf = async (more: object) =>
      ((await call('/fetch', { ...place, ...more })).body as unknown[]).length;
    expect(await lengthOf({})).toBe(500);
    expect(await lengthOf({ maxRecords: 1000 })).toBe(700);
    expect(await lengthOf({ maxRecords: 7 })).toBe(7);
    expect(await lengthOf({ maxBytes: 1 })).toBe(1);
  });

  it('streams an answer of many megabytes unchanged', async () => {
    const value = 'é'.repeat(1024 * 1024);
    for (const partition of [0, 1]) await call('/produce/huge', { value, partition });
    const positions = [0, 1].map((partition) => ({ topic: 'huge', partition, offset: 0 }));
    const { body, headers } = await call('/fetch', { topicPartitionOffsets: positions });
    expect(body).toMatchObject([{ value }, { value }]);
    expect(headers.get('transfer-encoding')).toBe('chunked');
    const [first] = positions;
    const whole = await call('/fetch', { ...first, topic: 'long' });
    expect(Number(whole.headers.get('content-length'))).toBeGreaterThan(10_000);
  });

  it('shows bytes as Base64 if requested, otherwise with replacement characters', async () => {
    const value = Buffer.from([0x61, 0xff, 0x62]).toString('base64');
    await call('/produce/bytes', { value, partition: 0, headers: [{ key: 'h', value }] }, base64);
    await call('/produce/bytes', { value, key: value, partition: 0, encoding: 'base64' });
    await call('/produce/bytes', { value: 'text', partition: 0 });
    const place = { topic: 'bytes', partition: 0, offset: 0 };
    const asBase64 = await call('/fetch', place, base64);
    expect(asBase64.body).toMatchObject([
      { value, key: '', headers: [{ key: 'h', value }] },
      { value, key: value },
      { value: 'dGV4dA==' },
    ]);
    expect(asBase64.headers.get('stream-replaced-records')).toBeNull();
    const asText = await call('/fetch', place);
    expect(asText.body).toMatchObject([
      { value: 'a\ufffdb', headers: [{ key: 'h', value: 'a\ufffdb' }] },
      { value: 'a\ufffdb', key: 'a\ufffdb' },
      { value: 'text' },
    ]);
    expect(asText.headers.get('stream-replaced-records')).toBe('2');
  });

  it('outside the log names the valid range, or continues as requested', async () => {
    await call('/produce/range', { value: 'v', partition: 0 });
    const place = { topic: 'range', partition: 0, offset: 9 };
    const { status, body } = await call('/fetch', place);
    expect(status).toBe(416);
    expect(body).toEqual({
      error: expect.stringContaining('range'),
      status: 416,
      topic: 'range',
      partition: 0,
      earliest: 0,
      latest: 1,
    });
    const reset = (offsetReset: string) => call('/fetch', { ...place, offsetReset, timeout: 0 });
    expect((await reset('earliest')).body).toMatchObject([{ offset: 0 }]);
    expect((await reset('latest')).body).toEqual([]);
  });

  it.each([
    [{ topic: 'unknown', partition: 0, offset: 0 }, 404],
    [{ topic: 'range', partition: 3, offset: 0 }, 404],
    [{ topic: 'range' }, 400],
    [{ topic: 'range', partition: 0, offset: 0, timeout: -1 }, 400],
    [
      {
        topic: 'range',
        partition: 0,
        offset: 0,
        topicPartitionOffsets: [{ topic: 'range', partition: 0, offset: 0 }],
      },
      400,
    ],
    ['[', 400],
  ])('of %j is refused', async (body, status) => {
    expect(await call('/fetch', body)).toMatchObject({ status, body: { status } });
  });

  it('in an unknown encoding is refused', async () => {
    const place = { topic: 'range', partition: 0, offset: 0 };
    const hex = { headers: { 'kafka-encoding': 'hex' } };
    expect(await call('/fetch', place, hex)).toMatchObject({ status: 400, body: { status: 400 } });
  });
});

describe('a credential', () => {
  it('reads and sees only the topics of its pattern', async () => {
    for (const topic of ['mine.a', 'mine.b', 'yours']) await call(`/produce/${topic}/v`);
    const consumer = await createCredential(server, 'consumer', 'CONSUME', 'mine.*');
    const producer = await createCredential(server, 'producer', 'PRODUCE', 'mine.a');
    const as = (authorization: string): LogCall => ({ headers: { authorization } });
    const places = (topic: string) => ({ topic, partition: 0, offset: 0 });
    expect((await call('/fetch', places('mine.a'), as(consumer))).status).toBe(200);
    expect((await call('/offsets/latest', places('mine.b'), as(consumer))).status).toBe(200);
    for (const [path, authorization, topic] of [
      ['/fetch', consumer, 'yours'],
      ['/fetch', consumer, 'unknown'],
      ['/fetch', producer, 'mine.a'],
      ['/offsets/earliest', consumer, 'yours'],
      ['/offsets/earliest', producer, 'mine.a'],
    ] as const) {
      const { status, body } = await call(path, places(topic), as(authorization));
      expect([path, status]).toEqual([path, 403]);
      expect(body).toEqual({ error: expect.stringContaining(`consume topic ${topic}`), status });
    }
    const both = { topicPartitionOffsets: [places('mine.a'), places('yours')] };
    expect((await call('/fetch', both, as(consumer))).status).toBe(403);
    expect((await call('/topics', undefined, as(consumer))).body).toEqual({
      'mine.a': 3,
      'mine.b': 3,
    });
    expect((await call('/topics', undefined, as(producer))).body).toEqual({ 'mine.a': 3 });
  });
});

describe('topics', () => {
  it('survive a restart with their records, and offsets continue', async () => {
    await call('/produce/lasting', { value: 'before', partition: 0 });
    const { dataDirectory } = server;
    await server.stop();
    server = await startServer({ dataDirectory });
    expect((await call('/topics')).body).toMatchObject({ lasting: 3 });
    expect((await call('/produce/lasting', { value: 'after', partition: 0 })).body).toMatchObject([
      { offset: 1 },
    ]);
    const { body } = await call('/fetch', { topic: 'lasting', partition: 0, offset: 0 });
    expect(body).toMatchObject([{ value: 'before' }, { value: 'after' }]);
  });

  it('are listed without those of the server itself', async () => {
    await call('/consume/group/instance/lasting?timeout=0');
    const { body } = await call('/topics');
    expect(Object.keys(body as object).filter((name) => name.startsWith('_'))).toEqual([]);
  });
});

describe('the offsets of a partition', () => {
  it('are found by word and by time, in the requested order, with or without a slash', async () => {
    for (const timestamp of [1000, 2000]) {
      await call('/produce/found', { value: 'v', partition: 0, timestamp });
    }
    const first = { topic: 'found', partition: 0 };
    const second = { topic: 'found', partition: 1 };
    for (const [path, offset] of [
      ['earliest', 0],
      ['latest', 2],
      ['1001', 1],
      ['3000/', 2],
    ] as const) {
      const { status, body } = await call(`/offsets/${path}?timeout=1000`, [second, first]);
      expect([path, status]).toEqual([path, 200]);
      expect(body).toEqual([
        { ...second, offset: 0 },
        { ...first, offset },
      ]);
      expect((await call(`/offsets/${path}`, first)).body).toEqual([{ ...first, offset }]);
    }
  });

  it.each([
    ['/offsets/-1', { topic: 'found', partition: 0 }, 400],
    ['/offsets/soon', { topic: 'found', partition: 0 }, 400],
    ['/offsets/latest?timeout=soon', { topic: 'found', partition: 0 }, 400],
    ['/offsets/latest', { topic: 'found', partition: 9 }, 404],
    ['/offsets/latest', { topic: 'nowhere', partition: 0 }, 404],
    ['/offsets/latest', { topic: 'found' }, 400],
    ['/offsets/latest', '', 400],
  ])('requested at %s with %j are refused', async (path, body, status) => {
    const options = { method: 'POST' };
    expect(await call(path, body, options)).toMatchObject({ status, body: { status } });
  });
});
