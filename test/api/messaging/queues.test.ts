import { Client } from '@upstash/qstash';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

let server: TestServer;
let client: Client;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
  client = new Client({ baseUrl: server.url, token: server.token, enableTelemetry: false });
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/v2${path}`, {
    method,
    headers: { authorization: server.bearer, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text === '' ? null : JSON.parse(text) };
}

const enqueue = (queueName: string, path: string, headers: Record<string, string> = {}) =>
  call('POST', `/enqueue/${queueName}/${endpoint.url}${path}`, 'x', headers);

const paths = () => endpoint.requests.map(({ url }) => url);

/** Holds every request open until it is released. */
function heldOpen() {
  const releases: (() => void)[] = [];
  endpoint.answer(() => new Promise((resolve) => releases.push(() => resolve({}))));
  return { release: () => releases.shift()?.() };
}

describe('the published client', () => {
  it('creates, reads, lists, changes, pauses, resumes and deletes a queue', async () => {
    const queue = client.queue({ queueName: 'mine' });
    await queue.upsert({ parallelism: 2 });
    const created = await queue.get();
    expect(created).toEqual({
      name: 'mine',
      createdAt: expect.any(Number),
      updatedAt: created.createdAt,
      parallelism: 2,
      paused: false,
      lag: 0,
    });
    expect(await queue.list()).toEqual([created]);
    await queue.pause();
    expect(await queue.get()).toMatchObject({ paused: true, createdAt: created.createdAt });
    await queue.resume();
    expect(await queue.get()).toMatchObject({ paused: false, parallelism: 2 });
    await queue.upsert({ parallelism: 1, paused: true });
    expect(await queue.get()).toMatchObject({ paused: true, parallelism: 1 });
    await queue.delete();
    await expect(queue.get()).rejects.toMatchObject({ status: 404 });
    expect(await queue.list()).toEqual([]);
  });

  it('enqueues in order to a queue that is created on the fly', async () => {
    const queue = client.queue({ queueName: 'orders' });
    for (const number of [1, 2, 3, 4]) {
      await queue.enqueueJSON({ url: `${endpoint.url}/${number}`, body: { number } });
    }
    await endpoint.received(4);
    expect(paths()).toEqual(['/1', '/2', '/3', '/4']);
    expect(await queue.get()).toMatchObject({ name: 'orders', parallelism: 1 });
    await queue.delete();
  });
});

describe('a queue over HTTP', () => {
  afterEach(() => call('DELETE', '/queues/q'));

  it('answers changes with 200 and no body', async () => {
    const answers = [
      await call('POST', '/queues', { queueName: 'q', parallelism: 3, paused: false }),
      await call('POST', '/queues/q/pause'),
      await call('POST', '/queues/q/resume'),
      await call('DELETE', '/queues/q'),
    ];
    for (const { status, text } of answers)
      expect({ status, text }).toEqual({ status: 200, text: '' });
  });

  it('keeps the settings that an upsert does not name', async () => {
    await call('POST', '/queues', { queueName: 'q', parallelism: 3, paused: true });
    await call('POST', '/queues', { queueName: 'q' });
    expect((await call('GET', '/queues/q')).body).toMatchObject({ parallelism: 3, paused: true });
    await call('POST', '/queues', { queueName: 'q', parallelism: 4 });
    expect((await call('GET', '/queues/q')).body).toMatchObject({ parallelism: 4, paused: true });
  });

  it.each<[string, string, string, unknown, number, string]>([
    ['no JSON', 'POST', '/queues', 'queue', 400, 'JSON'],
    ['no name', 'POST', '/queues', { parallelism: 1 }, 400, 'queueName'],
    ['a bad name', 'POST', '/queues', { queueName: 'a b' }, 400, 'queueName'],
    ['a typo', 'POST', '/queues', { queueName: 'q', paralelism: 1 }, 400, 'paralelism'],
    [
      'no parallelism at all',
      'POST',
      '/queues',
      { queueName: 'q', parallelism: 0 },
      400,
      'parallelism',
    ],
    [
      'half a parallelism',
      'POST',
      '/queues',
      { queueName: 'q', parallelism: 1.5 },
      400,
      'parallelism',
    ],
    ['a text', 'POST', '/queues', { queueName: 'q', parallelism: '1' }, 400, 'parallelism'],
    ['a maybe', 'POST', '/queues', { queueName: 'q', paused: 'no' }, 400, 'paused'],
    ['too much', 'POST', '/queues', { queueName: 'q', parallelism: 10_001 }, 412, 'parallelism'],
    ['a reading of no queue', 'GET', '/queues/absent', undefined, 404, 'absent not found'],
    ['a pause of no queue', 'POST', '/queues/absent/pause', undefined, 404, 'absent not found'],
    ['a resume of no queue', 'POST', '/queues/absent/resume', undefined, 404, 'absent not found'],
    ['another method', 'PATCH', '/queues/absent', undefined, 405, 'PATCH'],
  ])('refuses %s', async (_what, method, path, body, status, reason) => {
    const answer = await call(method, path, body);
    expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(reason) } });
  });

  it('counts messages that are not delivered, and starts them when resumed', async () => {
    await call('POST', '/queues', { queueName: 'q', paused: true });
    for (const number of [1, 2, 3]) await enqueue('q', `/${number}`);
    expect((await call('GET', '/queues/q')).body).toMatchObject({ lag: 3, paused: true });
    expect(paths()).toEqual([]);
    await call('POST', '/queues/q/resume');
    await endpoint.received(3);
    expect(paths()).toEqual(['/1', '/2', '/3']);
  });

  it('has as many messages in flight as its parallelism allows', async () => {
    const { release } = heldOpen();
    await call('POST', '/queues', { queueName: 'q', parallelism: 2 });
    for (const number of [1, 2, 3, 4]) await enqueue('q', `/${number}`);
    await endpoint.received(2);
    release();
    await endpoint.received(3);
    await call('POST', '/queues', { queueName: 'q', parallelism: 3 });
    await endpoint.received(4);
    for (const _each of [1, 2, 3]) release();
    expect(paths().slice().sort()).toEqual(['/1', '/2', '/3', '/4']);
  });

  it('does not let the next message overtake one that is retried', async () => {
    endpoint.answer(({ url }, count) => ({ status: url === '/1' && count < 2 ? 500 : 200 }));
    await enqueue('q', '/1', { 'Upstash-Retries': '3', 'Upstash-Retry-Delay': '20' });
    await enqueue('q', '/2');
    await endpoint.received(4);
    expect(paths()).toEqual(['/1', '/1', '/1', '/2']);
  });

  it('waits for the callback of a message before the next one starts', async () => {
    await enqueue('q', '/1', { 'Upstash-Callback': `${endpoint.url}/callback` });
    await enqueue('q', '/2');
    await endpoint.received(3);
    expect(paths()).toEqual(['/1', '/callback', '/2']);
  });

  it('drops its pending messages when it is deleted', async () => {
    await call('POST', '/queues', { queueName: 'q', paused: true });
    const ids: string[] = [];
    for (let number = 0; number < 300; number += 1) {
      const delay = number % 2 === 0 ? '0s' : '1h';
      const { body } = await enqueue('q', `/${number}`, { 'Upstash-Delay': delay });
      ids.push((body as { messageId: string }).messageId);
    }
    await call('DELETE', '/queues/q');
    expect((await call('GET', '/queues/q')).status).toBe(404);
    for (const id of ids) expect((await call('GET', `/messages/${id}`)).status).toBe(404);
    await enqueue('q', '/new');
    await endpoint.received(1);
    expect(paths()).toEqual(['/new']);
    expect((await call('GET', '/queues/q')).body).toMatchObject({ parallelism: 1, paused: false });
  });

  it('is not changed by a client that may only read', async () => {
    const authorization = `Bearer ${server.readToken}`;
    const refused = await call('POST', '/queues', { queueName: 'q' }, { authorization });
    expect(refused.status).toBe(403);
    expect((await call('GET', '/queues', undefined, { authorization })).status).toBe(200);
  });

  it('is included in the lag of all queues in the metrics', async () => {
    await call('POST', '/queues', { queueName: 'q', paused: true });
    await enqueue('q', '/1');
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toContain('\nstepwell_queue_lag_messages 1\n');
  });
});

describe('after a restart', () => {
  it('a queue continues where it was, and a retried message still holds its slot', async () => {
    const first = await startServer();
    const headers = { authorization: first.bearer };
    endpoint.answer((_request, count) => ({ status: count === 0 ? 500 : 200 }));
    const send = (path: string, options: Record<string, string> = {}) =>
      fetch(`${first.url}/v2/enqueue/kept/${endpoint.url}${path}`, {
        method: 'POST',
        headers: { ...headers, ...options },
      });
    await send('/1', { 'Svc-Retry-Delay': '1500' });
    await endpoint.received(1);
    await send('/2');
    await first.stop();
    const second = await startServer({ dataDirectory: first.dataDirectory });
    const queue = await (await fetch(`${second.url}/v2/queues/kept`, { headers })).json();
    expect(queue).toMatchObject({ name: 'kept', parallelism: 1, paused: false, lag: 2 });
    await endpoint.received(3);
    expect(paths()).toEqual(['/1', '/1', '/2']);
    await second.remove();
  });
});
