import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start();
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

interface Called {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what is found there, each test says itself
  readonly body: any;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Called> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.basic, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const path = '/admin/subscriptions';
const subscribe = (
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
) =>
  call(
    'POST',
    path,
    { name, topic: name, destination: `${endpoint.url}/${name}`, ...fields },
    headers,
  );
const produce = (topic: string, ...records: readonly object[]) =>
  call('POST', `/produce/${topic}`, records);
/** The requests to `/<name>`, once there are `count` of them. */
async function arrived(name: string, count: number) {
  const own = () => endpoint.requests.filter(({ url }) => url === `/${name}`);
  while (own().length < count) await endpoint.next();
  return own();
}
/** The subscription once `isSo` holds, because a delivery is counted only after it has arrived. */
async function shown(name: string, isSo: (body: Called['body']) => boolean) {
  for (;;) {
    const { body } = await call('GET', `${path}/${name}`);
    if (isSo(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a subscription', () => {
  it('pushes each record byte for byte, with its place and its headers', async () => {
    expect((await subscribe('bytes')).status).toBe(201);
    await produce('bytes', {
      value: 'grüße',
      key: 'Zoë/1%',
      partition: 1,
      timestamp: 1_767_000_000_000,
      headers: [
        { key: 'trace', value: 'abc' },
        { key: 'content-type', value: 'text/plain' },
        { key: 'not a name', value: 'x' },
        { key: 'line', value: 'a\nb' },
        { key: 'Stream-Tombstone', value: 'true' },
        { key: 'Upstash-Signature', value: 'forged' },
      ],
    });
    const [request] = await arrived('bytes', 1);
    expect(request).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'text/plain',
        trace: 'abc',
        'stream-topic': 'bytes',
        'stream-partition': '1',
        'stream-offset': '0',
        'stream-timestamp': '1767000000000',
        'stream-key': 'Zo%C3%AB/1%25',
        'svc-message-id': expect.stringMatching(/^msg_/),
        'svc-signature': expect.stringMatching(/./),
      },
    });
    expect(request?.body.toString()).toBe('grüße');
    for (const name of ['line', 'stream-tombstone', 'upstash-signature']) {
      expect(request?.headers).not.toHaveProperty(name);
    }
  });

  it('marks a tombstone, without a content type or a key', async () => {
    await subscribe('tombs');
    await produce('tombs', { value: null, partition: 0 });
    const [request] = await arrived('tombs', 1);
    expect(request?.body).toHaveLength(0);
    expect(request?.headers).toMatchObject({
      'stream-tombstone': 'true',
      'content-type': 'application/octet-stream',
    });
    expect(request?.headers).not.toHaveProperty('stream-key');
  });

  it('has the options of a publish, in the dialect of the request', async () => {
    const options = {
      'Upstash-Method': 'PUT',
      'Upstash-Retries': '5',
      'Upstash-Timeout': '30s',
      'Upstash-Delay': '1s',
      'Upstash-Label': 'blue',
      'Upstash-Forward-Authorization': 'Bearer secret',
      'Upstash-Flow-Control-Key': 'slow',
      'Upstash-Flow-Control-Value': 'parallelism=2',
      'Upstash-Callback': `${endpoint.url}/called-back`,
      'Upstash-Failure-Callback': `${endpoint.url}/failed`,
    };
    const created = await subscribe('options', { from: 'earliest' }, options);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: 'options',
      topic: 'options',
      destination: `${endpoint.url}/options`,
      maxRecords: 1,
      encoding: 'text',
      isPaused: false,
      method: 'PUT',
      retries: 5,
      timeout: 30,
      delay: 1,
      label: 'blue',
      header: { Authorization: ['Bearer secret'] },
      flowControlKey: 'slow',
      parallelism: 2,
      callback: `${endpoint.url}/called-back`,
      failureCallback: `${endpoint.url}/failed`,
      lag: 0,
      partitions: [0, 1, 2].map((partition) => ({ partition, position: 0, lag: 0 })),
    });
    const headers = [{ key: 'authorization', value: 'of the record' }];
    await produce('options', { value: 'v', partition: 0, headers });
    const [request] = await arrived('options', 1);
    expect(request).toMatchObject({
      method: 'PUT',
      headers: { authorization: 'Bearer secret', 'kafka-topic': 'options', 'kafka-offset': '0' },
    });
    await arrived('called-back', 1);
  });

  it('begins with the next record, unless it should begin with the oldest', async () => {
    await produce('begin', { value: 'old', partition: 0 });
    await subscribe('begin');
    const destination = `${endpoint.url}/oldest`;
    await subscribe('begin-old', { topic: 'begin', destination, from: 'earliest' });
    await produce('begin', { value: 'new', partition: 0 });
    const oldest = await arrived('oldest', 2);
    expect(oldest.map(({ body }) => body.toString())).toEqual(['old', 'new']);
    const next = await arrived('begin', 1);
    expect(next.map(({ body }) => body.toString())).toEqual(['new']);
  });

  it('pushes many records at once as /fetch shows them', async () => {
    await produce(
      'batch',
      { value: 'a', key: 'k', partition: 0, headers: [{ key: 'h', value: '1' }] },
      { value: null, partition: 0 },
    );
    await subscribe('batch', { from: 'earliest', maxRecords: 10 });
    const [request] = await arrived('batch', 1);
    const { body } = await call('POST', '/fetch', { topic: 'batch', partition: 0, offset: 0 });
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual(body);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'stream-topic': 'batch',
      'stream-offset': '0',
    });
  });

  it('pushes many records at once in Base64, if text would lose bytes', async () => {
    await subscribe('base64', { maxRecords: 10, encoding: 'base64' });
    const encoding = { 'stream-encoding': 'base64' };
    await call('POST', '/produce/base64', [{ value: '/+8=', key: 'AA==', partition: 0 }], encoding);
    const [request] = await arrived('base64', 1);
    expect(JSON.parse(request?.body.toString() ?? '')).toMatchObject([
      { offset: 0, key: 'AA==', value: '/+8=' },
    ]);
    expect(request?.headers).toMatchObject(encoding);
  });

  it('shows its progress and the messages in flight', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    endpoint.answer(async ({ url }) => {
      if (url === '/progress') await held;
      return {};
    });
    await subscribe('progress');
    await produce('progress', { value: 'a', partition: 1 }, { value: 'b', partition: 1 });
    await arrived('progress', 1);
    const { body } = await call('GET', `${path}/progress`);
    expect(body.lag).toBe(1);
    expect(body.partitions).toEqual([
      { partition: 0, position: 0, lag: 0 },
      {
        partition: 1,
        position: 1,
        lag: 1,
        inFlight: { from: 0, until: 1, messageIds: [expect.stringMatching(/^msg_/)] },
      },
      { partition: 2, position: 0, lag: 0 },
    ]);
    release();
    await arrived('progress', 2);
    const done = await shown('progress', ({ partitions }) => partitions[1].inFlight === undefined);
    expect(done).toMatchObject({ lag: 0, partitions: [{}, { position: 2, lag: 0 }, {}] });
    endpoint.answer(() => ({}));
  });

  it('is paused and resumed with either method', async () => {
    await subscribe('verbs');
    for (const method of ['POST', 'PATCH']) {
      const success = { status: 200, body: { result: 'Success', status: 200 } };
      expect(await call(method, `${path}/verbs/pause`)).toEqual(success);
      expect((await call('GET', `${path}/verbs`)).body.isPaused).toBe(true);
      expect(await call(method, `${path}/verbs/resume`)).toEqual(success);
      expect((await call('GET', `${path}/verbs`)).body.isPaused).toBe(false);
    }
  });

  it('survives a restart, and continues where it was', async () => {
    await subscribe('lasting');
    await produce('lasting', { value: 'a', partition: 0 });
    await arrived('lasting', 1);
    await shown('lasting', ({ partitions }) => partitions[0].inFlight === undefined);
    const { dataDirectory } = server;
    expect(await server.stop()).toBe(true);
    server = await startServer({ dataDirectory });
    await produce('lasting', { value: 'b', partition: 0 });
    const requests = await arrived('lasting', 2);
    expect(requests.map(({ body }) => body.toString())).toEqual(['a', 'b']);
  });

  it('is listed by name, and gone when it is deleted', async () => {
    const names = async () => (await call('GET', path)).body.map(({ name }: never) => name);
    expect(await names()).toEqual([...(await names())].sort());
    expect(await names()).toContain('verbs');
    expect((await call('DELETE', `${path}/verbs/`)).status).toBe(200);
    expect(await names()).not.toContain('verbs');
    expect(await call('GET', `${path}/verbs`)).toEqual({
      status: 404,
      body: { error: 'subscription verbs not found', status: 404 },
    });
  });
});

describe('a subscription and its topic', () => {
  it('grow together in partitions', async () => {
    await subscribe('growing');
    await call('PATCH', '/admin/topics/growing', { partitions: 5 });
    const { partitions } = await shown('growing', (body) => body.partitions.length === 5);
    expect(partitions[4]).toEqual({ partition: 4, position: 0, lag: 0 });
    await produce('growing', { value: 'in the last one', partition: 4 });
    const [request] = await arrived('growing', 1);
    expect(request?.headers).toMatchObject({ 'stream-partition': '4', 'stream-offset': '0' });
  });

  it('end together: another topic of its name is another topic', async () => {
    await subscribe('ending');
    expect((await call('DELETE', '/admin/topics/ending')).status).toBe(200);
    expect((await call('GET', `${path}/ending`)).status).toBe(404);
    await produce('ending', { value: 'for nobody', partition: 0 });
    await subscribe('ending');
    await produce('ending', { value: 'for somebody', partition: 0 });
    const [request] = await arrived('ending', 1);
    expect(request?.body.toString()).toBe('for somebody');
  });
});

describe('a subscription is refused', () => {
  const refused = (status: number, error: unknown) => ({ status, body: { error, status } });

  it.each([
    ['a name that is none', { name: 'a b' }, 400],
    ['no topic', { topic: undefined }, 400],
    ['a topic that can be none', { topic: 'a/b' }, 400],
    ['a topic of the server', { topic: '__consumer_offsets' }, 400],
    ['no destination', { destination: '' }, 400],
    ['a destination that is no URL', { destination: 'ftp://example.com/' }, 400],
    ['a URL group that is not there', { destination: 'nobody' }, 404],
    ['too many records', { maxRecords: 501 }, 400],
    ['another beginning', { from: 'somewhere' }, 400],
    ['an encoding of bytes', { encoding: 'base64' }, 400],
    ['an unknown field', { batchSize: 2 }, 400],
  ])('with %s', async (_what, fields, status) => {
    expect(await subscribe('refused', fields)).toEqual(refused(status, expect.any(String)));
    expect((await call('GET', '/topics')).body).not.toHaveProperty('refused');
  });

  it.each([
    [{ 'Svc-Retries': 'many' }, 400],
    [{ 'Svc-Retries': '1001' }, 412],
    [{ 'Svc-Cron': '* * * * *' }, 400],
    [{ 'Svc-Deduplication-Id': 'once' }, 400],
    [{ 'Svc-Callback': 'nowhere' }, 400],
  ])('with the option %j', async (options, status) => {
    const answer = await subscribe('refused', {}, options as unknown as Record<string, string>);
    expect(answer).toEqual(refused(status, expect.stringContaining('Svc-')));
  });

  it('if its name is taken', async () => {
    await subscribe('twice');
    const error = 'subscription twice exists';
    expect(await subscribe('twice', { topic: 'never-made' })).toEqual(refused(409, error));
    expect((await call('GET', '/topics')).body).not.toHaveProperty('never-made');
  });

  it('if its topic does not exist and is not created automatically', async () => {
    const strict = await startServer({ environment: { STEPWELL_TOPIC_AUTO_CREATE: 'false' } });
    const response = await fetch(`${strict.url}${path}`, {
      method: 'POST',
      headers: { authorization: strict.basic },
      body: JSON.stringify({ name: 'n', topic: 't', destination: 'https://example.com/' }),
    });
    expect(await response.json()).toEqual({ error: 'topic t not found', status: 404 });
    await strict.remove();
  });

  it('to a client that may not administer', async () => {
    const credential = { name: 'reader', topic: '*', permissions: 'CONSUME' };
    const { body } = await call('POST', '/admin/credentials', credential);
    const pair = Buffer.from(`reader:${body.password}`).toString('base64');
    const authorization = `Basic ${pair}`;
    const routes = [
      ['GET', path],
      ['POST', path],
      ['GET', `${path}/twice`],
      ['DELETE', `${path}/twice`],
      ['PATCH', `${path}/twice/pause`],
      ['POST', `${path}/twice/pause`],
      ['PATCH', `${path}/twice/resume`],
      ['POST', `${path}/twice/resume`],
    ] as const;
    for (const [method, target] of routes) {
      const answer = await call(method, target, undefined, { authorization });
      expect(answer).toEqual(refused(403, expect.stringContaining('administer')));
    }
    expect((await call('GET', `${path}/twice`)).body).toMatchObject({ isPaused: false });
  });

  it.each([
    ['GET', '/none'],
    ['DELETE', '/none'],
    ['PATCH', '/none/pause'],
    ['POST', '/none/resume'],
  ])('by %s %s if there is none', async (method, target) => {
    const answer = await call(method, `${path}${target}`);
    expect(answer).toEqual(refused(404, 'subscription none not found'));
  });
});

it('a subscription with an unknown option is made, with a warning', async () => {
  const warningOf = async (name: string, headers: Readonly<Record<string, string>>) => {
    const fields = { name, topic: 'warned', destination: `${endpoint.url}/warned` };
    const made = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: server.basic, ...headers },
      body: JSON.stringify(fields),
    });
    expect([made.status, await made.json()]).toMatchObject([201, { name }]);
    return made.headers.get('stepwell-warning');
  };
  expect(await warningOf('warned', { 'svc-retrys': '5' })).toBe(
    'unknown option Svc-Retrys; did you mean Svc-Retries?',
  );
  expect(await warningOf('silent', { 'svc-retries': '5' })).toBeNull();
});

describe('what subscriptions did', () => {
  it('is counted', async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const line = (outcome: string) =>
      Number(
        new RegExp(`stepwell_subscription_records_total\\{outcome="${outcome}"\\} (\\d+)`).exec(
          text,
        )?.[1],
      );
    expect(line('pushed')).toBeGreaterThan(0);
    expect(line('skipped')).toBe(0);
  });
});
