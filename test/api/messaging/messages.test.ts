import { Client } from '@upstash/qstash';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
let client: Client;

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start();
  client = new Client({ baseUrl: server.url, token: server.token });
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

const later = { 'Upstash-Delay': '1h' };

/** Publishes a message that waits; returns its id. */
async function publish(path = '', headers: Record<string, string> = {}): Promise<string> {
  const target = `/v2/publish/${endpoint.url}${path}`;
  const { body } = await callApi(server, 'POST', target, { ...later, ...headers }, 'x');
  return (body as { messageId: string }).messageId;
}

const statusOf = async (id: string) => (await callApi(server, 'GET', `/v2/messages/${id}`)).status;
const cancel = (query: string, body?: string) =>
  callApi(server, 'DELETE', `/v2/messages${query}`, {}, body);

describe('a message', () => {
  it('is shown while it is pending, and not found after that', async () => {
    const id = await publish('/shown');
    const { status, body } = await callApi(server, 'GET', `/v2/messages/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ messageId: id, url: `${endpoint.url}/shown`, body: 'x' });
    expect(await cancel(`/${id}`)).toMatchObject({ status: 200, body: { cancelled: 1 } });
    const gone = { status: 404, body: { error: `message ${id} not found` } };
    expect(await callApi(server, 'GET', `/v2/messages/${id}`)).toMatchObject(gone);
    expect(await cancel(`/${id}`)).toMatchObject(gone);
  });

  it('is shown without redacted contents, and delivered with them', async () => {
    const target = `/v2/publish/${endpoint.url}/redacted`;
    const headers = {
      'Upstash-Delay': '1s',
      'Upstash-Redact-Fields': 'body,header[X-Secret]',
      'Upstash-Forward-X-Secret': 'hush',
      'Upstash-Forward-X-Open': 'said',
    };
    const published = await callApi(server, 'POST', target, headers, 'hidden');
    const { messageId } = published.body as { messageId: string };
    const { body } = await callApi(server, 'GET', `/v2/messages/${messageId}`);
    expect(body).toMatchObject({
      // printf hidden | sha256sum
      body: 'REDACTED:e564b4081d7a9ea4b00dada53bdae70c99b87b6fce869f0c3dd4d2bfa1e53e1c',
      header: { 'X-Open': ['said'] },
    });
    const [delivered] = await endpoint.received(endpoint.requests.length + 1);
    expect(delivered?.body.toString()).toBe('hidden');
    expect(delivered?.headers['x-secret']).toBe('hush');
  });

  it('shows the digest of the delivered bytes of a header, even beyond ASCII', async () => {
    // As curl sends it: each UTF-8 byte is one character of the header.
    const name = Buffer.from('José').toString('latin1');
    const already = endpoint.requests.length;
    const id = await publish('/digest', {
      'Upstash-Delay': '0s',
      'Upstash-Redact-Fields': 'header[X-Name]',
      'Upstash-Forward-X-Name': name,
    });
    const delivered = (await endpoint.received(already + 1)).find(({ url }) => url === '/digest');
    expect(delivered?.headers['x-name']).toBe(name);
    const shown = await callApi(server, 'GET', `/v2/messages/${id}?final=true`);
    expect(shown.body).toMatchObject({
      header: {
        // printf José | sha256sum
        'X-Name': ['REDACTED:24c2ab65b7adab7e070ba05a00a3f3ae074e28b8bcdd59735b7107e7a538a551'],
      },
    });
  });
});

describe('a bulk cancel', () => {
  afterEach(() => cancel(''));

  it.each([
    ['label', 'blue', { 'Upstash-Label': 'blue,green' }],
    [
      'flowControlKey',
      'k',
      { 'Upstash-Flow-Control-Key': 'k', 'Upstash-Flow-Control-Value': 'rate=1' },
    ],
  ])('cancels messages with the %s %s, and no others', async (filter, value, headers) => {
    const selected = [await publish('/a', headers), await publish('/b', headers)];
    const other = await publish('/a');
    expect(await cancel(`?${filter}=${value}`)).toMatchObject({
      status: 200,
      body: { cancelled: 2 },
    });
    expect(await Promise.all([...selected, other].map(statusOf))).toEqual([404, 404, 200]);
  });

  it('filters by the queue and the URL group of a message', async () => {
    const group = '/v2/topics/cancelled/endpoints';
    const endpoints = JSON.stringify({ endpoints: [{ url: `${endpoint.url}/g`, name: 'first' }] });
    await callApi(server, 'POST', group, {}, endpoints);
    const sent = await callApi(server, 'POST', '/v2/publish/cancelled', later, 'x');
    const [inGroup] = sent.body as { messageId: string }[];
    const target = `/v2/enqueue/cancelled/${endpoint.url}/q`;
    const queued = await callApi(server, 'POST', target, later, 'x');
    const inQueue = queued.body as { messageId: string };
    const shown = await callApi(server, 'GET', `/v2/messages/${inGroup?.messageId}`);
    expect(shown.body).toMatchObject({ topicName: 'cancelled', endpointName: 'first', body: 'x' });
    const { body } = await callApi(server, 'GET', `/v2/messages/${inQueue.messageId}`);
    expect(body).toMatchObject({ queueName: 'cancelled' });
    expect((await cancel('?queueName=cancelled&topicName=cancelled')).body).toEqual({
      cancelled: 0,
    });
    expect((await cancel('?topicName=cancelled')).body).toEqual({ cancelled: 1 });
    expect((await cancel('?queueName=cancelled&path=/q')).body).toEqual({ cancelled: 1 });
  });

  it('filters by URL, host and path', async () => {
    const [a, b] = [await publish('/a?x=1'), await publish('/b')];
    expect((await cancel(`?url=${encodeURIComponent(`${endpoint.url}/a`)}`)).body).toEqual({
      cancelled: 0,
    });
    expect((await cancel('?host=127.0.0.1&path=/a')).body).toEqual({ cancelled: 1 });
    expect((await cancel(`?url=${encodeURIComponent(`${endpoint.url}/b`)}`)).body).toEqual({
      cancelled: 1,
    });
    expect(await Promise.all([a, b].map(statusOf))).toEqual([404, 404]);
  });

  it('filters by the URL as the publish wrote it', async () => {
    const written = `${endpoint.url.replace('http://127.0.0.1', 'HTTP://127.0.1')}/a b`;
    const headers = { ...later, 'Upstash-Label': 'written' };
    const path = `/v2/publish/${encodeURIComponent(written)}`;
    const { body } = await callApi(server, 'POST', path, headers, 'x');
    expect(body).toMatchObject({ url: `${endpoint.url}/a%20b` });
    const query = `?url=${encodeURIComponent(written)}`;
    const logs = await callApi(server, 'GET', `/v2/logs${query}`);
    expect(logs.body).toMatchObject({ logs: [{ labels: ['written'] }] });
    expect((await cancel(query)).body).toEqual({ cancelled: 1 });
  });

  it('filters by caller and by the time of the publish', async () => {
    const id = await publish();
    const { body } = await callApi(server, 'GET', `/v2/messages/${id}`);
    const { createdAt } = body as { createdAt: number };
    expect((await cancel(`?fromDate=${createdAt + 1}`)).body).toEqual({ cancelled: 0 });
    expect((await cancel(`?toDate=${createdAt - 1}`)).body).toEqual({ cancelled: 0 });
    expect((await cancel('?callerIP=10.1.1.1')).body).toEqual({ cancelled: 0 });
    const query = `?callerIp=127.0.0.1&fromDate=${createdAt}&toDate=${createdAt}`;
    expect((await cancel(query)).body).toEqual({ cancelled: 1 });
  });

  it('combines filters by AND and their values by OR', async () => {
    const blue = await publish('/a', { 'Upstash-Label': 'blue' });
    const green = await publish('/b', { 'Upstash-Label': 'green' });
    const both = await cancel('?label=blue&label=green&path=/b');
    expect(both.body).toEqual({ cancelled: 1 });
    expect(await Promise.all([blue, green].map(statusOf))).toEqual([200, 404]);
  });

  it('cancels by id, from the query or a body, and counts only existing messages', async () => {
    const ids = [await publish(), await publish(), await publish()];
    const query = `?messageIds=${ids[0]},msg_none&messageIds=${ids[0]}`;
    expect((await cancel(query)).body).toEqual({ cancelled: 1 });
    const body = JSON.stringify({ messageIds: [ids[1], ids[0]] });
    expect((await cancel('', body)).body).toEqual({ cancelled: 1 });
    expect(await Promise.all(ids.map(statusOf))).toEqual([404, 404, 200]);
  });

  it('stops at the count', async () => {
    for (let index = 0; index < 5; index += 1) await publish();
    expect((await cancel('?count=2')).body).toEqual({ cancelled: 2 });
    expect((await cancel('?count=500')).body).toEqual({ cancelled: 3 });
    expect((await cancel('?count=500')).body).toEqual({ cancelled: 0 });
  });

  it('without any filter cancels everything, in several turns', async () => {
    const ids = await Promise.all(Array.from({ length: 600 }, () => publish()));
    expect(await cancel('')).toMatchObject({ status: 200, body: { cancelled: 600 } });
    expect(await statusOf(ids[599] ?? '')).toBe(404);
  });

  it.each([
    ['?labeel=blue', 'labeel'],
    ['?dlqIds=1-1', 'dlqIds'],
    ['?label=', 'label'],
    ['?count=0', 'count'],
    ['?fromDate=yesterday', 'fromDate'],
  ])('is refused with %s, and cancels nothing', async (query, named) => {
    const id = await publish();
    const { status, body } = await cancel(query);
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.stringContaining(named) });
    expect(await statusOf(id)).toBe(200);
  });

  it.each(['{', '[]', '{"messageIds":[]}', '{"messageIds":null}', '{"ids":["a"]}'])(
    'is refused with the body %s, and cancels nothing',
    async (text) => {
      const id = await publish();
      const { status, body } = await cancel('', text);
      expect(status).toBe(400);
      expect(body).toEqual({ error: expect.any(String) });
      expect(await statusOf(id)).toBe(200);
    },
  );

  it('is refused with a read token', async () => {
    const id = await publish();
    const authorization = `Bearer ${server.readToken}`;
    const { status } = await callApi(server, 'DELETE', '/v2/messages', { authorization });
    expect(status).toBe(403);
    expect(await statusOf(id)).toBe(200);
  });
});

describe('the published client', () => {
  const wait = (label: string) =>
    client.publish({ url: endpoint.url, body: 'x', delay: 60, label });

  it('cancels one message, several, those of a filter, and all', async () => {
    const [one, two, three] = [await wait('a'), await wait('a'), await wait('b')];
    expect(await client.messages.cancel(one.messageId)).toEqual({ cancelled: 1 });
    const ids = [one.messageId, two.messageId];
    expect(await client.messages.cancel(ids)).toEqual({ cancelled: 1 });
    expect(await client.messages.cancel({ filter: { label: 'a' } })).toEqual({ cancelled: 0 });
    const filter = { label: ['a', 'b'], host: '127.0.0.1' };
    expect(await client.messages.cancel({ filter })).toEqual({ cancelled: 1 });
    await expect(client.messages.get(three.messageId)).rejects.toMatchObject({ status: 404 });
    await wait('c');
    expect(await client.messages.cancel({ all: true })).toEqual({ cancelled: 1 });
  });

  it('deletes by its older calls', async () => {
    const [one, two] = [await wait('a'), await wait('a')];
    await client.messages.delete(one.messageId);
    expect(await client.messages.deleteMany([one.messageId, two.messageId])).toBe(1);
    await wait('a');
    expect(await client.messages.deleteAll()).toBe(1);
  });

  it('gets the message that it published', async () => {
    const { messageId } = await wait('a');
    expect(await client.messages.get(messageId)).toMatchObject({ messageId, label: 'a' });
    await client.messages.cancel(messageId);
  });
});
