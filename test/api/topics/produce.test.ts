import { callLog, createCredential, type LogCall } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    environment: { STEPWELL_MAX_BODY: '20kb', STEPWELL_MAX_BATCH: '60kb' },
  });
});

afterAll(() => server.remove());

const call = (path: string, body?: unknown, options?: LogCall) =>
  callLog(server, path, body, options);

const keyed = (key: string): LogCall => ({ headers: { 'idempotency-key': key } });

/** The records of a partition, oldest first. */
async function stored(topic: string, partition: number): Promise<unknown[]> {
  const { body } = await call('/fetch', { topic, partition, offset: 0, timeout: 0 });
  return (body as { value: unknown }[]).map(({ value }) => value);
}

describe('a produce', () => {
  it('of a lone surrogate, or of a time beyond the year 9999, stores nothing', async () => {
    const time = 253_402_300_799_999;
    const sound = { value: 'whole \u{1f355}', key: 'k', partition: 0, timestamp: time };
    // JSON escapes what UTF-8 cannot carry.
    for (const bad of [
      { value: '\ud83c' },
      { value: 'v', key: '\udf55' },
      { value: 'v', headers: [{ key: 'k', value: '\ud83c' }] },
      { value: 'v', timestamp: time + 1 },
    ]) {
      const { status, body } = await call('/produce/halves', [sound, bad]);
      expect(status).toBe(400);
      expect((body as { error: string }).error).toContain('record 1: ');
    }
    expect(Object.keys((await call('/topics')).body as object)).not.toContain('halves');
    expect((await call('/produce/halves', [sound])).status).toBe(200);
    const { body } = await call('/fetch', { topic: 'halves', partition: 0, offset: 0, timeout: 0 });
    expect(body).toMatchObject([{ value: sound.value, timestamp: time }]);
  });

  it('to a partition that a new topic would not have creates no topic', async () => {
    const beyond = { value: 'v', partition: 3 };
    const topics = async () => Object.keys((await call('/topics')).body as object);
    expect(await call('/produce/unmade', beyond)).toMatchObject({ status: 400 });
    const partial = await call('/produce/unmade?partial=true', [beyond, beyond]);
    const error = 'unmade has no partition 3';
    expect(partial.body).toMatchObject([{ error }, { error }]);
    expect(await topics()).not.toContain('unmade');
    const mixed = await call('/produce/unmade?partial=true', [beyond, { value: 'v', key: 'k' }]);
    expect(mixed.body).toMatchObject([{ error }, { offset: 0 }]);
    expect(await topics()).toContain('unmade');
  });

  it('in the path answers with an object and its durability, and parses nothing', async () => {
    const { status, headers, body } = await call('/produce/path/%7B%22a%22:1%7D%2Fb+c?key=k0');
    expect(status).toBe(200);
    expect(headers.get('stepwell-durability')).toBe('fsync');
    expect(body).toEqual({ topic: 'path', partition: 2, offset: 0, timestamp: expect.any(Number) });
    const fetched = await call('/fetch/', { topic: 'path', partition: 2, offset: 0 });
    expect(fetched.body).toMatchObject([{ key: 'k0', value: '{"a":1}/b+c', headers: [] }]);
  });

  it('of one object answers with an array, by GET and by POST, to either path', async () => {
    for (const method of ['GET', 'POST']) {
      const { request } = await import('undici');
      for (const [path, record] of [
        ['/produce/one', { value: 'v' }],
        ['/produce/one/', { value: 'v' }],
        ['/produce', { topic: 'one', value: 'v' }],
      ] as const) {
        const answer = await request(`${server.url}${path}`, {
          method: method as 'GET',
          headers: { authorization: server.basic },
          body: JSON.stringify(record),
        });
        expect([method, path, answer.statusCode]).toEqual([method, path, 200]);
        expect(await answer.body.json()).toEqual([
          {
            topic: 'one',
            partition: expect.any(Number),
            offset: expect.any(Number),
            timestamp: expect.any(Number),
          },
        ]);
      }
    }
    expect((await call('/produce', [])).body).toEqual([]);
    expect((await call('/produce/one', [])).status).toBe(200);
  });

  it('of many answers in the order of the request, across topics and partitions', async () => {
    const { body } = await call('/produce', [
      { topic: 'left', value: '1', partition: 1 },
      { topic: 'right', value: '2', partition: 0, timestamp: 5 },
      { topic: 'left', value: '3', partition: 0 },
      { topic: 'left', value: '4', partition: 1 },
    ]);
    expect(body).toMatchObject([
      { topic: 'left', partition: 1, offset: 0 },
      { topic: 'right', partition: 0, offset: 0, timestamp: 5 },
      { topic: 'left', partition: 0, offset: 0 },
      { topic: 'left', partition: 1, offset: 1 },
    ]);
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
    ['/produce/t?partial=yes', { value: 'v' }, 400],
    ['/produce/a%2Fb', { value: 'v' }, 400],
    // Clients resolve this to `/`, which is for browsers.
    ['/produce/..', { value: 'v' }, 405],
    ['/produce/__consumer_offsets', { value: 'v' }, 400],
    [`/produce/${'x'.repeat(10_000)}`, { value: 'v' }, 400],
    ['/produce/a%00b', { value: 'v' }, 400],
    ['/produce/t', { value: 'x'.repeat(20_481) }, 413],
    ['/produce/t', [{ value: 'x'.repeat(61_441) }], 413],
    ['/nowhere', { value: 'v' }, 404],
  ])('to %s of %.50j is refused as JSON with its status', async (path, body, status) => {
    const answer = await call(path, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.any(String), status });
  });

  it('that is refused says which record it is about and writes nothing', async () => {
    const good = { topic: 'half', value: 'good', partition: 0 };
    const outside = await call('/produce', [good, { topic: 'half', value: 'bad', partition: 7 }]);
    expect(outside).toMatchObject({ status: 400 });
    const nowhere = await call('/produce', [good, { value: 'bad' }]);
    expect(nowhere.body).toMatchObject({ error: 'record 1: topic is missing' });
    await call('/produce/never', { value: 1 });
    const topics = Object.keys((await call('/topics')).body as object);
    expect(topics.filter((name) => ['half', 'never'].includes(name))).toEqual([]);
    await call('/admin/topics', { name: 'half', partitions: 2 });
    expect((await call('/produce', [good, { ...good, partition: 7 }])).status).toBe(400);
    expect(await stored('half', 0)).toEqual([]);
  });

  it('that may be partial stores the valid records and reports each other one', async () => {
    const { status, body } = await call('/produce?partial=true', [
      { topic: 'parts', value: 'a', partition: 0 },
      { value: 'b' },
      { topic: 'parts', value: 'c', partition: 9 },
      { topic: 'no/topic', value: 'd' },
      { topic: 'parts', value: 'x'.repeat(20_481) },
      { topic: 'parts', value: 'e', partition: 0 },
    ]);
    expect(status).toBe(207);
    const refusal = (code: number) => ({ error: expect.any(String), status: code });
    expect(body).toEqual([
      expect.objectContaining({ partition: 0, offset: 0 }),
      refusal(400),
      refusal(400),
      refusal(400),
      refusal(413),
      expect.objectContaining({ partition: 0, offset: 1 }),
    ]);
    expect(await stored('parts', 0)).toEqual(['a', 'e']);
  });

  it('accepts a body that is larger than the largest record', async () => {
    const records = Array(4).fill({ value: 'x'.repeat(10_000), partition: 0 });
    expect((await call('/produce/large', records)).status).toBe(200);
  });

  it('whose topic is deleted meanwhile is stored or refused, without a failure', async () => {
    const seen = new Set<number>();
    for (let round = 0; round < 10; round += 1) {
      await call('/produce/brief', { value: 'v' });
      const produces = Array.from({ length: 20 }, (_, index) =>
        call('/produce/brief', { value: 'v' }, index % 2 === 0 ? {} : keyed(`k${round} ${index}`)),
      );
      produces.push(call('/admin/topics/brief', undefined, { method: 'DELETE' }));
      for (const { status } of await Promise.all(produces)) seen.add(status);
    }
    expect([...seen].filter((status) => ![200, 404, 409, 503].includes(status))).toEqual([]);
    expect(seen).toContain(200);
  });

  it('needs credentials', async () => {
    const response = await fetch(`${server.url}/produce/t/v`);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
    expect(await response.json()).toMatchObject({ status: 401 });
  });

  it('needs the right to produce to every topic that it names', async () => {
    const authorization = await createCredential(server, 'writer', 'PRODUCE', 'mine*');
    const asWriter = { headers: { authorization } };
    expect((await call('/produce/mine', { value: 'v' }, asWriter)).status).toBe(200);
    expect((await call('/produce/mine/v', undefined, asWriter)).status).toBe(200);
    const records = [
      { topic: 'mine', value: 'v', partition: 0 },
      { topic: 'yours', value: 'v' },
    ];
    const { status, body } = await call('/produce', records, asWriter);
    expect([status, body]).toEqual([
      403,
      { error: expect.stringContaining('produce topic yours'), status: 403 },
    ]);
    expect((await call('/topics')).body).not.toHaveProperty('yours');
    expect((await call('/produce?partial=true', records, asWriter)).body).toMatchObject([
      { topic: 'mine' },
      { status: 403 },
    ]);
    const reader = await createCredential(server, 'reader', 'CONSUME', '*');
    const asReader = { headers: { authorization: reader } };
    expect((await call('/produce/mine', { value: 'v' }, asReader)).status).toBe(403);
  });
});

describe('a produce with an idempotency key', () => {
  const spread = [0, 1, 2].map((partition) => ({ value: `v${partition}`, partition }));

  it('that is repeated is answered alike and stored once, even after a restart', async () => {
    const first = await call('/produce/once', spread, keyed('k'));
    expect((await call('/produce/once', spread, keyed('k'))).body).toEqual(first.body);
    const { dataDirectory } = server;
    await server.stop();
    server = await startServer({ dataDirectory });
    expect((await call('/produce/once', spread, keyed('k'))).body).toEqual(first.body);
    for (const partition of [0, 1, 2]) {
      expect(await stored('once', partition)).toEqual([`v${partition}`]);
    }
  });

  it('puts records without a key into the same partition each time', async () => {
    const records = [{ value: 'a' }, { value: 'b' }];
    const first = await call('/produce/alike', records, keyed('k'));
    await call('/produce/alike', { value: 'between' });
    expect((await call('/produce/alike', records, keyed('k'))).body).toEqual(first.body);
  });

  it('is refused for other records, and stores none of them, in no topic', async () => {
    await call('/produce/other', { value: 'a' }, keyed('k'));
    for (const records of [
      [{ topic: 'other', value: 'b' }],
      [{ topic: 'other', value: 'a', key: 'k' }],
      [
        { topic: 'other', value: 'a' },
        { topic: 'other', value: 'a' },
      ],
      [
        { topic: 'another', value: 'a', partition: 0 },
        { topic: 'other', value: 'b' },
      ],
    ]) {
      const { status, body } = await call('/produce', records, keyed('k'));
      expect([status, body]).toEqual([409, { error: expect.any(String), status: 409 }]);
    }
    expect((await Promise.all([0, 1, 2].map((each) => stored('other', each)))).flat()).toEqual([
      'a',
    ]);
    expect(await stored('another', 0)).toEqual([]);
  });

  it('that is repeated once the topic has the missing partition has the same result', async () => {
    await call('/admin/topics', { name: 'widened', partitions: 2 });
    const records = [
      { value: 'a', partition: 0 },
      { value: 'b', partition: 7 },
    ];
    const again = (path = '/produce/widened?partial=true') => call(path, records, keyed('w'));
    const first = await again();
    expect(first).toMatchObject({ status: 207, body: [{ offset: 0 }, { status: 400 }] });
    expect((await again()).body).toEqual(first.body);
    await call('/admin/topics/widened', { partitions: 8 }, { method: 'PATCH' });
    const [stored0, refused] = first.body as object[];
    const grown = await again();
    const error = 'widened had no partition 7 when Idempotency-Key w was first used';
    expect(grown).toMatchObject({ status: 207, body: [stored0, { ...refused, error }] });
    expect(await again('/produce/widened')).toMatchObject({ status: 400, body: { error } });
    const other = [records[0], { value: 'c', partition: 7 }];
    expect((await call('/produce/widened', other, keyed('w'))).status).toBe(409);
    expect((await call('/produce/widened', records[0], keyed('w'))).status).toBe(409);
    expect(await stored('widened', 0)).toEqual(['a']);
    expect(await stored('widened', 7)).toEqual([]);
  });

  it('of which nothing was stored is not recognized again', async () => {
    await call('/admin/topics', { name: 'nothing', partitions: 1 });
    const records = [{ value: 'a', partition: 1 }];
    const send = () => call('/produce/nothing?partial=true', records, keyed('n'));
    expect((await send()).body).toMatchObject([{ status: 400 }]);
    await call('/admin/topics/nothing', { partitions: 2 }, { method: 'PATCH' });
    expect((await send()).body).toMatchObject([{ partition: 1, offset: 0 }]);
  });

  it('sent many times at once is stored once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('/produce/crowd', spread, keyed('crowd'))),
    );
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    expect(await stored('crowd', 0)).toEqual(['v0']);
  });

  it('works in the path form, and distinguishes other messages', async () => {
    const first = await call('/produce/single/v', undefined, keyed('p'));
    expect((await call('/produce/single/v', undefined, keyed('p'))).body).toEqual(first.body);
    expect((await call('/produce/single/w', undefined, keyed('p'))).status).toBe(409);
  });

  it.each(['', 'x'.repeat(201), 'caf\u00e9'])('with the text %.20j is refused', async (key) => {
    expect(await call('/produce/t', { value: 'v' }, keyed(key))).toMatchObject({ status: 400 });
  });
});
