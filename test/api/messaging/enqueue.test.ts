import { Client } from '@upstash/qstash';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

const enqueue = (
  queue: string,
  destination: string,
  headers: Record<string, string> = {},
  body = 'x',
) => callApi(server, 'POST', `/v2/enqueue/${queue}/${destination}`, headers, body);
const messageId = expect.stringMatching(/^msg_\w+$/);

describe('an enqueue', () => {
  it('is answered like a publish, and creates the queue', async () => {
    const { status, headers, body } = await enqueue('made', endpoint.url);
    expect(status).toBe(200);
    expect(body).toEqual({ messageId, url: endpoint.url });
    expect(headers.get('stepwell-durability')).toBe('fsync');
    expect(await callApi(server, 'GET', '/v2/queues/made')).toMatchObject({
      status: 200,
      body: { name: 'made', parallelism: 1, paused: false },
    });
    await endpoint.received(1);
  });

  it('reads the destination after the queue, raw and with its query', async () => {
    await enqueue('raw', `${endpoint.url}/a//b?x=1&svc-forward-x-a=b&token=${server.token}`);
    const [request] = await endpoint.received(1);
    expect(request?.url).toBe('/a//b?x=1');
    expect(request?.headers['x-a']).toBe('b');
  });

  it('reads a percent-encoded destination, and a path in another spelling', async () => {
    const encoded = encodeURIComponent(`${endpoint.url}/a?x=1`);
    const paths = [`/v2/enqueue/raw/${encoded}`, `/v2/%65nqueue/raw/${endpoint.url}/b`];
    for (const path of paths) {
      const { status, body } = await callApi(server, 'POST', path, {}, 'x');
      expect({ status, body }).toMatchObject({ status: 200, body: { messageId } });
    }
    const requests = await endpoint.received(2);
    expect(requests.map(({ url }) => url)).toEqual(['/a?x=1', '/b']);
  });

  it('is delivered in order, one after the other', async () => {
    let open = 0;
    let most = 0;
    endpoint.answer(async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      return {};
    });
    for (let number = 0; number < 8; number += 1) {
      await enqueue('line', endpoint.url, {}, String(number));
    }
    const requests = await endpoint.received(8);
    expect(requests.map(({ body }) => body.toString()).join('')).toBe('01234567');
    expect(most).toBe(1);
  });

  it('to a URL group is one message per endpoint', async () => {
    const endpoints = ['/one', '/two'].map((path) => ({ url: `${endpoint.url}${path}` }));
    const group = JSON.stringify({ endpoints });
    await callApi(server, 'POST', '/v2/topics/both/endpoints', {}, group);
    const { body } = await enqueue('fan', 'both');
    expect(body).toEqual(endpoints.map(({ url }) => ({ messageId, url })));
    const requests = await endpoint.received(2);
    expect(requests.map(({ url }) => url)).toEqual(['/one', '/two']);
  });

  it('accepts every option of a publish', async () => {
    const headers = { 'Svc-Delay': '1h', 'Svc-Label': 'blue', 'Svc-Queue-Name': 'not-this' };
    const { body } = await enqueue('optional', endpoint.url, headers);
    const { messageId: id } = body as { messageId: string };
    const shown = await callApi(server, 'GET', `/v2/messages/${id}`);
    expect(shown.body).toMatchObject({ label: 'blue', queueName: 'optional' });
  });

  it.each([
    ['a%20b', 'https://example.com', 400, 'the queue name must have'],
    ['x'.repeat(257), 'https://example.com', 400, 'the queue name must have'],
    ['q', '', 400, 'the destination is missing'],
    ['q', 'nobody', 404, 'URL group nobody not found'],
    ['q', 'http://169.254.169.254/', 400, 'metadata'],
    ['q', 'https://example.com?svc-retries=x', 400, 'Svc-Retries'],
    ['q', 'https://example.com?svc-retries=1001', 412, 'Svc-Retries'],
  ])('to %s, for %s, is refused with %i', async (queue, destination, status, error) => {
    const answer = await enqueue(queue, destination);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringContaining(error) });
  });

  it.each(['/v2/enqueue', '/v2/enqueue/', '/v2/enqueue/q', '/v2/enqueue?x=/a/b'])(
    'to %s is refused with 400',
    async (path) => {
      const answer = await callApi(server, 'POST', path, {}, 'x');
      expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    },
  );

  it('needs a token that may write', async () => {
    const authorization = `Bearer ${server.readToken}`;
    expect((await enqueue('q', endpoint.url, { authorization })).status).toBe(403);
    expect((await enqueue('q', endpoint.url, { authorization: 'x' })).status).toBe(401);
  });
});

describe('a publish that names a queue', () => {
  it('goes through that queue', async () => {
    const headers = { 'Svc-Queue-Name': 'named' };
    const { status } = await callApi(server, 'POST', `/v2/publish/${endpoint.url}`, headers, 'x');
    expect(status).toBe(200);
    await endpoint.received(1);
    expect((await callApi(server, 'GET', '/v2/queues/named')).status).toBe(200);
  });
});

describe('the published client', () => {
  it('enqueues text and JSON', async () => {
    const client = new Client({ baseUrl: server.url, token: server.token });
    const queue = client.queue({ queueName: 'client' });
    const text = await queue.enqueue({ url: `${endpoint.url}/text`, body: 'plain' });
    const json = await queue.enqueueJSON({ url: `${endpoint.url}/json`, body: { a: 1 } });
    expect([text, json]).toEqual([
      { messageId, url: `${endpoint.url}/text` },
      { messageId, url: `${endpoint.url}/json` },
    ]);
    const requests = await endpoint.received(2);
    expect(requests.map(({ url, body }) => [url, body.toString()])).toEqual([
      ['/text', 'plain'],
      ['/json', '{"a":1}'],
    ]);
    expect(requests[1]?.headers).toMatchObject({
      'content-type': 'application/json',
      'upstash-message-id': json.messageId,
    });
  });
});
