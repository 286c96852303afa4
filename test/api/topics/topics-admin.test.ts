import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

/** Starts a server with small files, so that it starts fast. */
const start = (dataDirectory?: string) =>
  startServer({
    environment: { STEPWELL_TOPIC_RETENTION: '2d' },
    ports: { fileSizes: { segmentBytes: 1024 * 1024, reserveBytes: 0 } },
    ...(dataDirectory !== undefined && { dataDirectory }),
  });

const restart = async () => {
  await server.stop();
  server = await start(server.dataDirectory);
};

beforeAll(async () => {
  server = await start();
});

afterAll(() => server.remove());

/** Each test has a topic of its own. */
let topic = '';
let topics = 0;

beforeEach(() => {
  topics += 1;
  topic = `topic-${topics}`;
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.basic, 'content-type': 'text/plain' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const create = (settings: object = {}) =>
  call('POST', '/admin/topics', { name: topic, ...settings });
const produce = (partition: number, ...values: string[]) =>
  call(
    'POST',
    `/produce/${topic}`,
    values.map((value) => ({ value, partition })),
  );
const fetched = async (partition: number, offset: number) => {
  const answer = await call('POST', '/fetch', { topic, partition, offset, timeout: 0 });
  return answer.status === 200
    ? (answer.body as { offset: number; value: string }[]).map(({ value }) => value)
    : answer;
};
const listed = async () => (await call('GET', '/topics')).body;
const refusal = (status: number) => ({ status, body: { error: expect.any(String), status } });

describe('creating a topic', () => {
  it('answers with it as soon as it can be used', async () => {
    const settings = { partitions: 2, retentionMs: 60_000, retentionBytes: 5000 };
    const { status, body } = await create({ ...settings });
    expect(status).toBe(201);
    const empty = { earliest: 0, latest: 0, bytes: 0, newestAt: null };
    const shown = {
      name: topic,
      createdAt: expect.any(Number),
      ...settings,
      cleanupPolicy: 'delete',
      bytes: 0,
      offsets: [
        { partition: 0, ...empty },
        { partition: 1, ...empty },
      ],
    };
    expect(body).toEqual(shown);
    expect(await call('GET', `/admin/topics/${topic}`)).toEqual({ status: 200, body: shown });
    expect(await listed()).toMatchObject({ [topic]: 2 });
  });

  it('without settings uses the configured defaults', async () => {
    const { body } = await create();
    const day = 86_400_000;
    expect(body).toMatchObject({ partitions: 3, retentionMs: 2 * day, retentionBytes: -1 });
    topic += '-produced';
    await produce(0, 'v');
    expect((await call('GET', `/admin/topics/${topic}`)).body).toMatchObject({
      partitions: 3,
      retentionMs: 2 * day,
      cleanupPolicy: 'delete',
    });
  });

  it('also accepts the field names of the control plane', async () => {
    const { status, body } = await create({
      name: topic,
      partitions: 1,
      retention_time: -1,
      retention_size: -1,
      cleanup_policy: 'compact',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ retentionMs: -1, retentionBytes: -1, cleanupPolicy: 'compact' });
  });

  it.each<[unknown, number]>([
    [{ name: 'a/b' }, 400],
    [{ name: '__consumer_offsets' }, 400],
    [{ name: 'ok', partitions: 0 }, 400],
    [{ name: 'ok', partitions: 1025 }, 400],
    [{ name: 'ok', partitions: '3' }, 400],
    [{ name: 'ok', retentionMs: 0 }, 400],
    [{ name: 'ok', retentionBytes: -5 }, 400],
    [{ name: 'ok', cleanupPolicy: 'shred' }, 400],
    [{ name: 'ok', retentionMs: 5, retention_time: 5 }, 400],
    [{ name: 'ok', colour: 'red' }, 400],
    [{ partitions: 1 }, 400],
    ['', 400],
    ['[]', 400],
  ])('with %j is refused and creates nothing', async (body, status) => {
    const before = await listed();
    expect(await call('POST', '/admin/topics', body)).toEqual(refusal(status));
    expect(await listed()).toEqual(before);
  });

  it('twice is a conflict', async () => {
    await create();
    expect(await create({ partitions: 9 })).toEqual(refusal(409));
  });
});

describe('altering a topic', () => {
  it('changes what is named; null means the configured default', async () => {
    await create({ retentionMs: 1000, retentionBytes: 2000 });
    const path = `/admin/topics/${topic}`;
    const size = await call('PATCH', path, { retention_size: 9 });
    expect(size).toMatchObject({ status: 200, body: { retentionMs: 1000, retentionBytes: 9 } });
    const asConfigured = await call('PATCH', path, { retentionMs: null, retentionBytes: null });
    expect(asConfigured.body).toMatchObject({ retentionMs: 172_800_000, retentionBytes: -1 });
    expect((await call('PATCH', path, {})).status).toBe(200);
  });

  it('to more partitions keeps every record where it is', async () => {
    await create({ partitions: 1 });
    await produce(0, 'before');
    const grown = await call('PATCH', `/admin/topics/${topic}`, { partitions: 3 });
    expect(grown).toMatchObject({ status: 200, body: { partitions: 3 } });
    expect((await produce(2, 'after')).body).toMatchObject([{ partition: 2, offset: 0 }]);
    expect(await fetched(0, 0)).toEqual(['before']);
    await restart();
    expect(await listed()).toMatchObject({ [topic]: 3 });
    expect(await fetched(0, 0)).toEqual(['before']);
    expect(await fetched(2, 0)).toEqual(['after']);
  });

  it.each([
    { partitions: 2 },
    { partitions: null },
    { cleanupPolicy: 'compact' },
    { cleanup_policy: 'delete' },
    { name: 'other' },
    { max_message_size: 5 },
    { retentionMs: 0 },
  ])('to %j is refused and changes nothing', async (change) => {
    const { body } = await create();
    expect(await call('PATCH', `/admin/topics/${topic}`, change)).toEqual(refusal(400));
    expect((await call('GET', `/admin/topics/${topic}`)).body).toEqual(body);
  });
});

describe('purging a topic', () => {
  it('hides what is before the offset from the answer on, even after a restart', async () => {
    await create({ partitions: 2 });
    await produce(0, 'a', 'b', 'c');
    const purge = `/admin/topics/${topic}/purge`;
    expect(await call('POST', purge, { partition: 0, before: 2 })).toEqual({
      status: 200,
      body: [{ topic, partition: 0, offset: 2 }],
    });
    const outside = { status: 416, body: { earliest: 2, latest: 3 } };
    expect(await fetched(0, 1)).toMatchObject(outside);
    expect(await fetched(0, 2)).toEqual(['c']);
    const earlier = await call('POST', purge, [{ partition: 0, before: 1 }]);
    expect(earlier.body).toEqual([{ topic, partition: 0, offset: 2 }]);
    await restart();
    expect(await fetched(0, 1)).toMatchObject(outside);
    expect((await call('POST', '/offsets/earliest', { topic, partition: 0 })).body).toEqual([
      { topic, partition: 0, offset: 2 },
    ]);
  });

  it('to the end removes every byte, and offsets continue', async () => {
    await create({ partitions: 2 });
    await produce(0, 'a', 'b');
    await produce(1, 'c');
    const both = [
      { partition: 0, before: 2 },
      { partition: 1, before: 1 },
    ];
    expect((await call('POST', `/admin/topics/${topic}/purge`, both)).status).toBe(200);
    expect((await call('GET', `/admin/topics/${topic}`)).body).toMatchObject({
      bytes: 0,
      offsets: [
        { earliest: 2, latest: 2, newestAt: null },
        { earliest: 1, latest: 1 },
      ],
    });
    expect((await produce(0, 'd')).body).toMatchObject([{ offset: 2 }]);
    expect(await fetched(0, 2)).toEqual(['d']);
  });

  it.each<[unknown, number]>([
    [{ partition: 0, before: 2 }, 400],
    [{ partition: 0, before: -1 }, 400],
    [{ partition: 3, before: 0 }, 404],
    [
      [
        { partition: 0, before: 1 },
        { partition: 0, before: 0 },
      ],
      400,
    ],
    [
      [
        { partition: 0, before: 1 },
        { partition: 1, before: 1 },
      ],
      400,
    ],
    [[], 400],
    [{ partition: 0 }, 400],
    ['', 400],
  ])('of %j is refused and removes nothing', async (body, status) => {
    await create();
    await produce(0, 'kept');
    expect(await call('POST', `/admin/topics/${topic}/purge`, body)).toEqual(refusal(status));
    expect(await fetched(0, 0)).toEqual(['kept']);
  });
});

describe('deleting a topic', () => {
  it('removes its records, and its name can be used at once', async () => {
    await create({ partitions: 2 });
    await produce(0, 'old', 'old');
    const deleted = await call('DELETE', `/admin/topics/${topic}`);
    expect(deleted).toEqual({ status: 200, body: { result: 'Success', status: 200 } });
    expect(await listed()).not.toHaveProperty(topic);
    expect(await fetched(0, 0)).toEqual(refusal(404));
    expect(await call('DELETE', `/admin/topics/${topic}`)).toEqual(refusal(404));
    expect((await create({ partitions: 1 })).status).toBe(201);
    expect(await fetched(0, 0)).toEqual([]);
    expect((await produce(0, 'new')).body).toMatchObject([{ offset: 0 }]);
    await restart();
    expect(await listed()).toMatchObject({ [topic]: 1 });
    expect(await fetched(0, 0)).toEqual(['new']);
  });

  it('during writes and reads fails them only with 404 or 409', async () => {
    const statuses = new Set<number>();
    let isOver = false;
    const busy = async (work: () => Promise<Answer>) => {
      while (!isOver) statuses.add((await work()).status);
    };
    await create({ partitions: 3 });
    const reading = { topic, partition: 0, offset: 0, timeout: 5 };
    const all = Promise.all([
      busy(() => produce(0, 'a', 'b')),
      busy(() => produce(2, 'x'.repeat(100_000))),
      busy(() => call('POST', '/fetch', reading)),
      busy(() => call('POST', '/fetch', { ...reading, partition: 2 })),
      busy(() => call('POST', '/offsets/1', reading)),
    ]);
    for (let lives = 0; lives < 10; lives += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect([200, 404]).toContain((await call('DELETE', `/admin/topics/${topic}`)).status);
    }
    isOver = true;
    await all;
    expect([...statuses].filter((status) => ![200, 404, 409].includes(status))).toEqual([]);
  });

  it('answers clients that wait for its records', async () => {
    await produce(0, 'a');
    const waiting = call('POST', '/fetch', {
      topic,
      partition: 0,
      offset: 1,
      timeout: 60_000,
    });
    await call('GET', '/topics');
    await call('DELETE', `/admin/topics/${topic}`);
    expect([200, 404]).toContain((await waiting).status);
  });
});

it('the listing has the topics with their settings, by name', async () => {
  await create({ name: `${topic}-b` });
  await create({ name: topic, retentionBytes: 7 });
  await produce(0, 'v');
  const { status, body } = await call('GET', '/admin/topics/');
  expect(status).toBe(200);
  const mine = (body as { name: string }[]).filter(({ name }) => name.startsWith(topic));
  expect(mine).toMatchObject([
    { name: topic, retentionBytes: 7, bytes: expect.any(Number) },
    { name: `${topic}-b`, bytes: 0 },
  ]);
});

it.each([
  ['GET', '/admin/topics/none', 404],
  ['PATCH', '/admin/topics/none', 404],
  ['DELETE', '/admin/topics/none', 404],
  ['PUT', '/admin/topics/none', 405],
])('%s %s is refused as JSON with its status', async (method, path, status) => {
  const body = method === 'PATCH' ? {} : undefined;
  expect(await call(method, path, body)).toEqual(refusal(status));
});

it.each([
  [{ partition: 'a', before: 1 }, 'partition: '],
  [{ partition: 0 }, 'before: '],
  [{ partition: 0, before: 1, colour: 1 }, 'colour'],
  [
    [
      { partition: 0, before: 1 },
      { partition: 1, before: -1 },
    ],
    '[1].before: must not be negative',
  ],
])('a purge of %j is answered with the invalid field', async (body, field) => {
  await create();
  const answer = await call('POST', `/admin/topics/${topic}/purge`, body);
  expect(answer.body).toMatchObject({ error: expect.stringContaining(field) });
});

it('a purge of a topic that does not exist is answered with 404', async () => {
  const body = { partition: 0, before: 0 };
  expect(await call('POST', '/admin/topics/none/purge', body)).toEqual(refusal(404));
});

it('topics are administered only by credentials with all rights on all topics', async () => {
  const credential = { name: `only-${topic}`, topic: `${topic}*`, permissions: 'ALL' };
  const made = (await call('POST', '/admin/credentials', credential)).body as {
    username: string;
    password: string;
  };
  const pair = Buffer.from(`${made.username}:${made.password}`).toString('base64');
  for (const path of ['/admin/topics', `/admin/topics/${topic}`]) {
    const response = await fetch(`${server.url}${path}`, {
      headers: { authorization: `Basic ${pair}` },
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ error: expect.any(String), status: 403 });
  }
});

it('topics are not administered without credentials', async () => {
  const response = await fetch(`${server.url}/admin/topics`);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toContain('Basic');
  expect(await response.json()).toEqual({ error: expect.any(String), status: 401 });
});
