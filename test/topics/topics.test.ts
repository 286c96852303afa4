import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

async function call(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.basic, 'content-type': 'application/x-www-form-urlencoded' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('a produce', () => {
  it('in the path answers with an object, says how durable, parses nothing', async () => {
    const { status, headers, body } = await call('/produce/path/%7B%22a%22:1%7D%2Fb+c?key=k0');
    expect(status).toBe(200);
    expect(headers.get('stepwell-durability')).toBe('fsync');
    expect(body).toEqual({ topic: 'path', partition: 2, offset: 0, timestamp: expect.any(Number) });
    const fetched = await call('/fetch/', { topic: 'path', partition: 2, offset: 0 });
    expect(fetched.body).toMatchObject([{ key: 'k0', value: '{"a":1}/b+c', headers: [] }]);
  });

  it('of one object answers with an array', async () => {
    expect((await call('/produce/one', { value: 'v' })).body).toHaveLength(1);
    expect((await call('/produce', { topic: 'one', value: 'v' })).body).toHaveLength(1);
    expect((await call('/produce', [])).body).toEqual([]);
  });

  it('keeps text of any script and a tombstone', async () => {
    const value = 'grüße 🌍 \u0000 \ud7ff';
    await call('/produce/text', [
      { value, partition: 0, key: 'ключ' },
      { value: null, partition: 0, key: 'ключ' },
    ]);
    const { body } = await call('/fetch', { topic: 'text', partition: 0, offset: 0 });
    expect(body).toMatchObject([
      { key: 'ключ', value },
      { key: 'ключ', value: null },
    ]);
  });

  it.each([
    ['/produce/t', '{', 400],
    ['/produce/t', '', 400],
    ['/produce/t', { value: 1 }, 400],
    ['/produce/t', { value: 'v', partition: 3 }, 400],
    ['/produce/a%2Fb', { value: 'v' }, 400],
    ['/produce/..', { value: 'v' }, 404],
    ['/produce/__consumer_offsets', { value: 'v' }, 400],
    [`/produce/${'x'.repeat(10_000)}`, { value: 'v' }, 400],
    ['/produce/a%00b', { value: 'v' }, 400],
    ['/nowhere', { value: 'v' }, 404],
  ])('to %s of %j is refused as JSON with its status', async (path, body, status) => {
    const answer = await call(path, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.any(String), status });
  });

  it('that is refused writes nothing: no good records, no topic', async () => {
    const records = [
      { topic: 'half', value: 'good', partition: 0 },
      { topic: 'half', value: 'bad', partition: 7 },
    ];
    expect((await call('/produce', records)).status).toBe(400);
    expect((await call('/offsets/latest', { topic: 'half', partition: 0 })).body).toMatchObject([
      { offset: 0 },
    ]);
    await call('/produce/never', { value: 1 });
    expect((await call('/topics')).body).not.toHaveProperty('never');
  });

  it('needs credentials', async () => {
    const response = await fetch(`${server.url}/produce/t/v`);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
    expect(await response.json()).toMatchObject({ status: 401 });
  });
});

describe('a fetch', () => {
  it('answers as soon as a record is there', async () => {
    await call('/produce/poll', { value: 'first', partition: 0 });
    const waiting = call('/fetch', { topic: 'poll', partition: 0, offset: 1, timeout: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await call('/produce/poll', { value: 'second', partition: 0 });
    expect((await waiting).body).toMatchObject([{ offset: 1, value: 'second' }]);
  });

  it('that waits is answered when the server stops', async () => {
    const other = await startServer();
    const fetchFrom = (body: object) =>
      fetch(`${other.url}/fetch`, {
        method: 'POST',
        headers: { authorization: other.basic },
        body: JSON.stringify(body),
      });
    await fetch(`${other.url}/produce/t/v`, { headers: { authorization: other.basic } });
    const waiting = fetchFrom({ topic: 't', partition: 0, offset: 1, timeout: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await other.remove();
    expect(await (await waiting).json()).toEqual([]);
  });

  it('of several positions wakes for any of them and answers in the order asked', async () => {
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
  });

  it('answers with nothing at the end of its time', async () => {
    await call('/produce/quiet', { value: 'v', partition: 0 });
    const { status, body } = await call('/fetch', {
      topic: 'quiet',
      partition: 0,
      offset: 1,
      timeout: 30,
    });
    expect([status, body]).toEqual([200, []]);
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

  it('outside the log says what is inside', async () => {
    await call('/produce/range', { value: 'v', partition: 0 });
    const { status, body } = await call('/fetch', { topic: 'range', partition: 0, offset: 9 });
    expect(status).toBe(416);
    expect(body).toEqual({ error: expect.any(String), status: 416, earliest: 0, latest: 1 });
  });

  it.each([
    [{ topic: 'unknown', partition: 0, offset: 0 }, 404],
    [{ topic: 'range', partition: 3, offset: 0 }, 404],
    [{ topic: 'range' }, 400],
    [{ topic: 'range', partition: 0, offset: 0, timeout: -1 }, 400],
    ['[', 400],
  ])('of %j is refused', async (body, status) => {
    expect(await call('/fetch', body)).toMatchObject({ status, body: { status } });
  });
});

describe('topics', () => {
  it('survive a restart with their records, and offsets go on', async () => {
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

  it('are refused for a wrong method with the right ones named', async () => {
    const { status, headers } = await call('/topics', {});
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET');
  });
});
