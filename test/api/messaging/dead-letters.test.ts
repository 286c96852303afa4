import { Client } from '@upstash/qstash';
import { systemClock } from '../../../src/engine/clock.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

interface Entry {
  readonly dlqId: string;
  readonly messageId: string;
  readonly [field: string]: unknown;
}

interface Page {
  readonly messages: readonly Entry[];
  readonly cursor?: string;
}

const retentionMs = 30 * 86_400_000;

let server: TestServer;
let endpoint: RecordingEndpoint;
let client: Client;
/** Added to the clock of the server, so that letters expire at once. */
let ahead = 0;

const start = (dataDirectory?: string) => {
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  return startServer({ ports: { clock }, ...(dataDirectory !== undefined && { dataDirectory }) });
};

beforeAll(async () => {
  server = await start();
  endpoint = await RecordingEndpoint.start();
});

beforeEach(async () => {
  ahead = 0;
  endpoint.answerInTurn({ status: 404, headers: { 'X-Why': 'gone' }, body: 'nobody here' });
  client = new Client({ baseUrl: server.url, token: server.token });
  await remove('');
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

const api = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  callApi(server, method, `/v2/dlq${path}`, headers, body);
const list = async (query = '') => (await api('GET', query)).body as Page;
const remove = async (query: string) => (await api('DELETE', query)).body;

async function publish(path: string, headers: Record<string, string>, body = 'x'): Promise<string> {
  const target = `/v2/publish/${endpoint.url}${path}`;
  const answer = await callApi(server, 'POST', target, headers, body);
  return (answer.body as { messageId: string }).messageId;
}

/** Publishes a message that fails at once, and waits for its letter. */
async function fail(path = '', headers: Record<string, string> = {}, body = 'x'): Promise<Entry> {
  // The first option header determines the dialect.
  const isSvc = !Object.keys(headers).some((name) => name.startsWith('upstash-'));
  const retries = { [isSvc ? 'svc-retries' : 'upstash-retries']: '0' };
  return letterOf(await publish(path, { ...retries, ...headers }, body));
}

async function letterOf(messageId: string): Promise<Entry> {
  for (;;) {
    const { messages } = await list(`?messageId=${messageId}`);
    const [letter] = messages;
    if (letter !== undefined) return letter;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a dead letter', () => {
  it('shows the message with its last answer', async () => {
    const letter = await fail('/a', {
      'content-type': 'text/plain',
      'svc-forward-x-tenant': 'acme',
      'svc-label': 'blue,green',
      'svc-flow-control-key': 'k',
      'svc-flow-control-value': 'parallelism=2',
    });
    expect(letter).toEqual({
      dlqId: expect.stringMatching(/^\d{13}-\d+s00$/),
      messageId: expect.stringMatching(/^msg_/),
      url: `${endpoint.url}/a`,
      method: 'POST',
      header: { 'Content-Type': ['text/plain'], 'X-Tenant': ['acme'] },
      body: 'x',
      maxRetries: 0,
      notBefore: expect.any(Number),
      createdAt: letter['notBefore'],
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
      label: 'blue',
      labels: ['blue', 'green'],
      flowControlKey: 'k',
      parallelism: 2,
      period: 1,
      responseStatus: 404,
      responseHeader: expect.objectContaining({ 'X-Why': ['gone'] }),
      responseBody: 'nobody here',
    });
    expect(await api('GET', `/${letter.dlqId}`)).toMatchObject({ status: 200, body: letter });
  });

  it('gives the reason if the destination did not answer', async () => {
    endpoint.answer(() => new Promise(() => {}));
    const letter = await fail('', { 'svc-timeout': '0.05s' });
    expect(letter).toMatchObject({
      responseStatus: 0,
      responseHeader: {},
      responseBody: expect.stringMatching(/./),
    });
  });

  it('has a binary response in base64, and the beginning of a long one', async () => {
    endpoint.answerInTurn({ status: 500, body: Buffer.from([0xff, 0x00]) });
    expect(await fail()).toMatchObject({ responseBodyBase64: '/wA=' });
    endpoint.answerInTurn({ status: 500, body: '€'.repeat(50_000) });
    const { responseBody } = await fail();
    // Complete three-byte characters within 64 KiB.
    expect(String(responseBody)).toHaveLength(Math.floor((64 * 1024) / 3));
    expect(responseBody).toMatch(/^€+$/);
  });

  it('hides what its message redacts; a retry delivers the original', async () => {
    const headers = { 'svc-redact-fields': 'body, headers', 'svc-forward-x-secret': 'hush' };
    const letter = await fail('', headers, 'secret');
    expect(letter).toMatchObject({
      // printf secret | sha256sum
      body: 'REDACTED:2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b',
      header: { 'X-Secret': [expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/)] },
    });
    const before = endpoint.requests.length;
    await api('POST', `/retry/${letter.dlqId}`);
    const delivered = (await endpoint.received(before + 1)).at(-1);
    expect(delivered?.body.toString()).toBe('secret');
    expect(delivered?.headers['x-secret']).toBe('hush');
  });

  it('is not created for a canceled message', async () => {
    const id = await publish('', { 'svc-retry-delay': '3600000' });
    await endpoint.next();
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    expect(await list(`?messageId=${id}`)).toEqual({ messages: [] });
  });

  it('is deleted only once', async () => {
    const { dlqId } = await fail();
    expect((await api('DELETE', `/${dlqId}`)).status).toBe(200);
    const gone = { status: 404, body: { error: `dead letter ${dlqId} not found` } };
    expect(await api('DELETE', `/${dlqId}`)).toMatchObject(gone);
    expect(await api('GET', `/${dlqId}`)).toMatchObject(gone);
    expect(await api('POST', `/retry/${dlqId}`)).toMatchObject(gone);
  });

  it('is kept across a restart, and removed ones stay removed', async () => {
    const [kept, deleted, retried] = [await fail('/a'), await fail('/b'), await fail('/c')];
    endpoint.answerInTurn({ status: 200 });
    await api('DELETE', `/${deleted.dlqId}`);
    await api('POST', `/retry/${retried.dlqId}`);
    const before = await list();
    expect(before.messages.map(({ dlqId }) => dlqId)).toEqual([kept.dlqId]);
    await server.stop();
    server = await start(server.dataDirectory);
    expect(await list()).toEqual(before);
    expect((await api('GET', `/${deleted.dlqId}`)).status).toBe(404);
  });

  it('expires when it is older than the retention', async () => {
    const { dlqId } = await fail();
    ahead = retentionMs;
    expect((await api('GET', `/${dlqId}`)).status).toBe(404);
    expect(await list()).toEqual({ messages: [] });
    expect((await api('POST', `/retry/${dlqId}`)).status).toBe(404);
    expect(await remove('')).toEqual({ deleted: 0 });
  });

  it('is counted in the metrics', async () => {
    await fail();
    const response = await fetch(`${server.url}/metrics`);
    expect(await response.text()).toContain('\nstepwell_dead_letters 1\n');
  });
});

describe('the listing', () => {
  const labels = async (query: string) =>
    (await list(query)).messages.map(({ label }) => label as string);

  it('pages through the letters, newest or oldest first', async () => {
    for (const label of ['a', 'b', 'c', 'd', 'e']) await fail('', { 'svc-label': label });
    const newest = await list('?count=2');
    expect(newest.messages.map(({ label }) => label)).toEqual(['e', 'd']);
    expect(await labels(`?count=2&cursor=${newest.cursor}`)).toEqual(['c', 'b']);
    const last = await list(`?count=3&cursor=${newest.cursor}`);
    expect(last.messages.map(({ label }) => label)).toEqual(['c', 'b', 'a']);
    expect(last).not.toHaveProperty('cursor');
    const oldest = await list('?order=earliestFirst&count=3');
    expect(oldest.messages.map(({ label }) => label)).toEqual(['a', 'b', 'c']);
    const rest = await list(`?order=earliestFirst&count=3&cursor=${oldest.cursor}`);
    expect(rest.messages.map(({ label }) => label)).toEqual(['d', 'e']);
    expect(rest).not.toHaveProperty('cursor');
  });

  it('is filtered by everything that a letter has', async () => {
    const flow = { 'svc-flow-control-key': 'k', 'svc-flow-control-value': 'rate=100' };
    await fail('/a', { 'svc-label': 'a,both', ...flow });
    endpoint.answerInTurn({ status: 503 });
    const other = await fail('/b', { 'svc-label': 'b,both' });
    const time = Number(other.dlqId.split('-')[0]);
    expect(await labels('?label=both')).toEqual(['b', 'a']);
    expect(await labels('?label=a&label=x')).toEqual(['a']);
    expect(await labels('?label=a,b&responseStatus=503')).toEqual(['b']);
    expect(await labels('?responseStatus=404')).toEqual(['a']);
    expect(await labels('?flowControlKey=k')).toEqual(['a']);
    expect(await labels(`?url=${encodeURIComponent(`${endpoint.url}/b`)}`)).toEqual(['b']);
    expect(await labels('?path=/b')).toEqual(['b']);
    expect(await labels(`?host=${new URL(endpoint.url).host}`)).toEqual(['b', 'a']);
    expect(await labels('?host=127.0.0.1:1')).toEqual([]);
    expect(await labels('?callerIp=127.0.0.1&label=a')).toEqual(['a']);
    expect(await labels('?callerIP=10.0.0.1')).toEqual([]);
    expect(await labels('?topicName=g')).toEqual([]);
    expect(await labels('?queueName=q')).toEqual([]);
    expect(await labels('?scheduleId=s')).toEqual([]);
    expect(await labels(`?messageId=${other.messageId}`)).toEqual(['b']);
    expect(await labels(`?fromDate=${time}&toDate=${time}&label=b`)).toEqual(['b']);
    expect(await labels(`?fromDate=${time + 1}`)).toEqual([]);
    expect(await labels(`?dlqIds=${other.dlqId},1-1`)).toEqual(['b']);
    expect(await labels(`?dlqIds=${other.dlqId}&label=a`)).toEqual([]);
  });

  it('continues where a page ended, whatever was added or removed since', async () => {
    for (const label of ['a', 'b', 'c', 'd']) await fail('', { 'svc-label': label });
    const page = await list('?count=2');
    await fail('', { 'svc-label': 'later' });
    await remove(`?dlqIds=${page.messages.at(-1)?.dlqId}`);
    expect(await labels(`?cursor=${page.cursor}`)).toEqual(['b', 'a']);
  });

  it('is filtered by the queue and the URL group that a message came through', async () => {
    const endpoints = JSON.stringify({ endpoints: [{ url: `${endpoint.url}/g`, name: 'first' }] });
    await callApi(server, 'POST', '/v2/topics/letters/endpoints', {}, endpoints);
    const once = { 'svc-retries': '0' };
    const sent = await callApi(server, 'POST', '/v2/publish/letters', once, 'to all');
    const [inGroup] = sent.body as { messageId: string }[];
    const target = `/v2/enqueue/letters/${endpoint.url}/q`;
    const queued = await callApi(server, 'POST', target, once, 'in line');
    const grouped = await letterOf(inGroup?.messageId ?? '');
    const enqueued = await letterOf((queued.body as { messageId: string }).messageId);
    expect(grouped).toMatchObject({ topicName: 'letters', endpointName: 'first', body: 'to all' });
    expect(enqueued).toMatchObject({ queueName: 'letters', body: 'in line' });
    expect((await list('?topicName=letters')).messages).toEqual([grouped]);
    expect((await list('?queueName=letters')).messages).toEqual([enqueued]);
    expect((await list('?queueName=letters&topicName=letters')).messages).toEqual([]);
  });

  it('ends a page early if bodies are large, and continues after it', async () => {
    const body = 'x'.repeat(5 * 1024 * 1024);
    for (const label of ['a', 'b', 'c']) await fail('', { 'svc-label': label }, body);
    const first = await list();
    expect(first.messages.map(({ label }) => label)).toEqual(['c', 'b']);
    expect(await labels(`?cursor=${first.cursor}`)).toEqual(['a']);
  });

  it.each([
    ['?labeel=a', 'labeel'],
    ['?hosts=127.0.0.1', 'hosts'],
    ['?cursor=abc', 'cursor'],
    ['?order=upwards', 'order'],
    ['?count=-1', 'count'],
    ['?responseStatus=4xx', 'responseStatus'],
    ['?fromDate=2020-01-01', 'fromDate'],
  ])('refuses %s', async (query, named) => {
    const { status, body } = await api('GET', query);
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.stringContaining(named) });
  });
});

describe('a bulk delete', () => {
  it('removes the named letters and counts those that existed', async () => {
    const [a, b, c] = [await fail(), await fail(), await fail()];
    expect(await remove(`?dlqIds=${a.dlqId}&dlqIds=${a.dlqId},1-1`)).toEqual({ deleted: 1 });
    const body = JSON.stringify({ dlqIds: [b.dlqId, a.dlqId] });
    expect((await api('DELETE', '', {}, body)).body).toEqual({ deleted: 1 });
    expect((await list()).messages.map(({ dlqId }) => dlqId)).toEqual([c.dlqId]);
  });

  it('removes the matching letters, oldest first, page by page', async () => {
    for (const label of ['a', 'b', 'a', 'a']) await fail('', { 'svc-label': label });
    const first = (await remove('?label=a&count=2')) as { deleted: number; cursor: string };
    expect(first).toEqual({ deleted: 2, cursor: expect.any(String) });
    expect(await remove(`?label=a&count=2&cursor=${first.cursor}`)).toEqual({ deleted: 1 });
    expect((await list()).messages.map(({ label }) => label)).toEqual(['b']);
  });

  it.each(['?labeel=a', '?hosts=127.0.0.1', '?order=latestFirst', '?dlqIds=', '?label=a,,b'])(
    'with %s is refused and removes nothing',
    async (query) => {
      await fail();
      expect(await api('DELETE', query)).toMatchObject({ status: 400 });
      expect((await list()).messages).toHaveLength(1);
    },
  );
});

describe('a retry', () => {
  it('publishes the original anew, in its dialect, and removes the letter', async () => {
    const letter = await fail('/again?x=1', {
      'upstash-method': 'PUT',
      'upstash-forward-x-tenant': 'acme',
      'content-type': 'application/json',
    });
    endpoint.answerInTurn({ status: 200 });
    const before = endpoint.requests.length;
    const { status, body } = await api('POST', `/retry/${letter.dlqId}`);
    const { messageId } = body as { messageId: string };
    expect(status).toBe(201);
    expect(body).toEqual({ messageId, responses: [{ messageId }] });
    expect(messageId).not.toBe(letter.messageId);
    const delivered = (await endpoint.received(before + 1)).at(-1);
    expect(delivered).toMatchObject({ method: 'PUT', url: '/again?x=1' });
    expect(delivered?.headers).toMatchObject({
      'upstash-message-id': messageId,
      'upstash-retried': '0',
      'x-tenant': 'acme',
      'content-type': 'application/json',
    });
    expect(delivered?.body.toString()).toBe('x');
    expect((await api('GET', `/${letter.dlqId}`)).status).toBe(404);
  });

  it('that fails again leaves another letter, which has the same body', async () => {
    const first = await fail('', {}, 'again');
    const { body } = await api('POST', `/retry/${first.dlqId}`);
    const second = await letterOf((body as { messageId: string }).messageId);
    expect(second).toMatchObject({ body: 'again', maxRetries: 0 });
    const before = endpoint.requests.length;
    await api('POST', `/retry/${second.dlqId}`);
    expect((await endpoint.received(before + 1)).at(-1)?.body.toString()).toBe('again');
  });

  it('is changed by the headers of the call', async () => {
    const { dlqId } = await fail('', { 'svc-label': 'old' });
    const { body } = await api('POST', `/retry/${dlqId}`, {
      'svc-retries': '7',
      'svc-delay': '1h',
      'svc-label': 'new',
      'svc-flow-control-key': 'k',
      'svc-flow-control-value': 'rate=5',
    });
    const { messageId } = body as { messageId: string };
    const message = (await callApi(server, 'GET', `/v2/messages/${messageId}`)).body as Entry;
    expect(message).toMatchObject({ maxRetries: 7, label: 'new', flowControlKey: 'k', rate: 5 });
    expect(Number(message['notBefore']) - Number(message['createdAt'])).toBe(3_600_000);
  });

  it.each([
    ['svc-retries', 'many', 400],
    ['svc-retries', '1001', 412],
    ['svc-delay', '2y', 412],
    ['svc-method', 'PUT', 400],
    ['svc-forward-x', '1', 400],
  ])('with %s: %s is refused with %i, and the letter stays', async (name, value, status) => {
    const { dlqId } = await fail();
    const answer = await api('POST', `/retry/${dlqId}`, { [name]: value });
    expect(answer).toMatchObject({ status, body: { error: expect.stringMatching(/^Svc-/) } });
    expect((await api('GET', `/${dlqId}`)).status).toBe(200);
  });

  it('of many letters works by id or by filters, page by page', async () => {
    const letters: Entry[] = [];
    for (const label of ['a', 'b', 'a', 'a']) letters.push(await fail('', { 'svc-label': label }));
    endpoint.answerInTurn({ status: 200 });
    const before = endpoint.requests.length;
    const named = await api('POST', `/retry?dlqIds=${letters[1]?.dlqId},1-1`);
    expect(named).toMatchObject({ status: 201, body: { responses: [expect.anything()] } });
    const first = (await api('POST', '/retry?label=a&count=2')).body as { cursor: string };
    expect(first).toMatchObject({ responses: [expect.anything(), expect.anything()] });
    const rest = await api('POST', `/retry?label=a&count=2&cursor=${first.cursor}`);
    expect(rest.body).toEqual({ responses: [{ messageId: expect.stringMatching(/^msg_/) }] });
    expect(await list()).toEqual({ messages: [] });
    expect((await api('POST', '/retry')).body).toEqual({ responses: [] });
    await endpoint.received(before + 4);
  });

  it('of many letters ends even if all of them fail again', async () => {
    for (let count = 0; count < 3; count += 1) await fail();
    const retried: string[] = [];
    let query = '/retry?count=1';
    for (;;) {
      const { body } = await api('POST', query);
      const { responses, cursor } = body as { responses: Entry[]; cursor?: string };
      for (const { messageId } of responses) {
        retried.push(messageId);
        await letterOf(messageId);
      }
      if (cursor === undefined) break;
      query = `/retry?count=1&cursor=${cursor}`;
    }
    expect(retried).toHaveLength(3);
    const { messages } = await list('?order=earliestFirst');
    expect(messages.map(({ messageId }) => messageId)).toEqual(retried);
  });

  it.each(['?labeel=a', '?order=latestFirst', '?dlqIds='])(
    'of many letters with %s is refused, and the letters stay',
    async (query) => {
      await fail();
      expect(await api('POST', `/retry${query}`)).toMatchObject({ status: 400 });
      expect((await list()).messages).toHaveLength(1);
    },
  );

  it('that is requested twice at once publishes once', async () => {
    const { dlqId } = await fail();
    endpoint.answerInTurn({ status: 200 });
    const before = endpoint.requests.length;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api('POST', `/retry/${dlqId}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404, 404]);
    await endpoint.received(before + 1);
  });
});

describe('the published client', () => {
  it('lists, filters and pages', async () => {
    const a = await fail('/a', { 'upstash-label': 'a' });
    const b = await fail('/b', { 'upstash-label': 'b' });
    const { messages, cursor } = await client.dlq.listMessages();
    expect(messages.map(({ dlqId }) => dlqId)).toEqual([b.dlqId, a.dlqId]);
    expect(cursor).toBeUndefined();
    const filtered = await client.dlq.listMessages({ filter: { label: 'a', responseStatus: 404 } });
    expect(filtered.messages.map(({ dlqId }) => dlqId)).toEqual([a.dlqId]);
    const named = await client.dlq.listMessages({ dlqIds: [b.dlqId] });
    expect(named.messages.map(({ dlqId }) => dlqId)).toEqual([b.dlqId]);
    const page = await client.dlq.listMessages({ count: 1 });
    const next = await client.dlq.listMessages({ count: 1, cursor: page.cursor ?? '' });
    expect(next.messages.map(({ dlqId }) => dlqId)).toEqual([a.dlqId]);
    expect(next.cursor).toBeUndefined();
  });

  it('deletes one letter, several, those of a filter, and all', async () => {
    const letters: Entry[] = [];
    for (const label of ['a', 'a', 'a', 'b', 'c']) {
      letters.push(await fail('', { 'upstash-label': label }));
    }
    const [one, two, three] = letters.map(({ dlqId }) => dlqId);
    expect(await client.dlq.delete(one ?? '')).toEqual({ deleted: 1 });
    await expect(client.dlq.delete(one ?? '')).rejects.toMatchObject({ status: 404 });
    expect(await client.dlq.delete([one ?? '', two ?? ''])).toEqual({ deleted: 1 });
    expect(await client.dlq.deleteMany({ dlqIds: [three ?? ''] })).toEqual({ deleted: 1 });
    expect(await client.dlq.delete({ filter: { label: 'b' } })).toEqual({ deleted: 1 });
    expect(await client.dlq.delete({ all: true })).toEqual({ deleted: 1 });
  });

  it('retries one letter, several, those of a filter, and all', async () => {
    const letters: Entry[] = [];
    for (const label of ['a', 'a', 'b', 'c']) {
      letters.push(await fail('', { 'upstash-label': label }));
    }
    endpoint.answerInTurn({ status: 200 });
    const [one, two] = letters.map(({ dlqId }) => dlqId);
    const { responses } = await client.dlq.retry(one ?? '');
    expect(responses).toEqual([{ messageId: expect.stringMatching(/^msg_/) }]);
    expect((await client.dlq.retry([one ?? '', two ?? ''])).responses).toHaveLength(1);
    expect((await client.dlq.retry({ filter: { label: 'b' } })).responses).toHaveLength(1);
    const all = await client.dlq.retry({ all: true });
    expect(all.responses).toHaveLength(1);
    expect(all.cursor).toBeUndefined();
    expect((await client.dlq.listMessages()).messages).toEqual([]);
  });
});
