import { RecordingEndpoint } from '../support/recording-endpoint.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_MAX_BODY: '64kb' } });
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { messageId?: string; url?: string; deduplicated?: true; error?: string };
}

async function call(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.bearer, ...headers },
    ...(body !== undefined && { body }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  };
}

const publish = (
  destination: string,
  headers: Record<string, string> = {},
  body: string | Buffer = 'x',
) => call('POST', `/v2/publish/${destination}`, headers, body);

describe('a publish', () => {
  it('answers with the message and with how durable it is', async () => {
    const { status, headers, body } = await publish(endpoint.url);
    expect(status).toBe(200);
    expect(body).toEqual({
      messageId: expect.stringMatching(/^msg_[0-9A-Z]+$/),
      url: endpoint.url,
    });
    expect(headers.get('stepwell-durability')).toBe('fsync');
    expect(headers.get('content-type')).toContain('application/json');
  });

  it('delivers every byte as it came', async () => {
    const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, index) => index % 256));
    await publish(endpoint.url, { 'content-type': 'application/x-any; a="b"' }, bytes);
    const [request] = await endpoint.received(1);
    expect(request?.body.equals(bytes)).toBe(true);
    expect(request?.headers['content-type']).toBe('application/x-any; a="b"');
    expect(request?.headers['user-agent']).toMatch(/^Stepwell\//);
    expect(request?.headers).toHaveProperty('svc-signature');
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it('is delivered in the dialect it was published in', async () => {
    await publish(endpoint.url, { 'Upstash-Forward-X-Tenant': 'acme' });
    const [request] = await endpoint.received(1);
    expect(request?.headers).toMatchObject({ 'upstash-retried': '0', 'x-tenant': 'acme' });
    expect(request?.headers).not.toHaveProperty('svc-retried');
  });

  it('does not let a forwarded header speak for the server', async () => {
    await publish(endpoint.url, {
      'Svc-Forward-Svc-Message-Id': 'msg_forged',
      'Svc-Forward-Content-Length': '1',
      'Svc-Forward-Host': 'example.com',
    });
    const [request] = await endpoint.received(1);
    expect(request?.headers['svc-message-id']).not.toBe('msg_forged');
    expect(request?.headers.host).toBe(new URL(endpoint.url).host);
  });

  it('takes options from the query and leaves the rest to the destination', async () => {
    const url = `${endpoint.url}/a//b?x=1&svc-retries=0&svc-forward-x-a=b&token=${server.token}&y=`;
    const response = await fetch(`${server.url}/v2/publish/${url}`, { method: 'POST' });
    expect(response.status).toBe(200);
    const [request] = await endpoint.received(1);
    expect(request?.url).toBe('/a//b?x=1&y=');
    expect(request?.headers['x-a']).toBe('b');
  });

  it('sends no body with GET', async () => {
    await publish(endpoint.url, { 'Svc-Method': 'GET' });
    const [request] = await endpoint.received(1);
    expect(request).toMatchObject({ method: 'GET' });
    expect(request?.body).toHaveLength(0);
  });

  it.each([
    ['', 400, 'destination is missing'],
    ['ftp://example.com', 400, 'http:// or https://'],
    ['my-group', 404, 'URL group my-group not found'],
    ['http://user:pass@example.com', 400, 'user name'],
    ['http://169.254.169.254/latest', 400, 'metadata'],
    ['http://0xa9fea9fe/', 400, 'metadata'],
    ['http://example.com:22/', 400, 'port 22'],
    ['http://example.com/?svc-forward-x=a%0d%0ab', 400, 'Svc-Forward-X'],
  ])('to "%s" is refused with %i', async (destination, status, reason) => {
    const answer = await publish(destination);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringContaining(reason) });
  });

  it.each([
    [{ 'Svc-Retries': 'many' }, 400, 'Svc-Retries'],
    [{ 'Svc-Retries': '1001' }, 412, 'Svc-Retries'],
    [{ 'Svc-Delay': '2y' }, 412, 'Svc-Delay'],
    [{ 'Upstash-Callback': 'https://example.com' }, 400, 'Upstash-Callback'],
  ])('with %j is refused with %i', async (headers, status, named) => {
    const answer = await publish(endpoint.url, headers as unknown as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringContaining(named) });
  });

  it('of a body above the limit is refused with 413', async () => {
    const answer = await publish(endpoint.url, {}, Buffer.alloc(65 * 1024));
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({ error: expect.any(String) });
  });

  it('that is refused stores nothing', async () => {
    const engine = await import('../../src/engine/engine.js');
    const actors = server.application.nest.get(engine.Engine).actors('message');
    const before = actors.size;
    await publish(endpoint.url, { 'Svc-Delay': 'soon' });
    await publish('http://169.254.169.254/');
    expect(actors.size).toBe(before);
  });

  it('repeated in the window is answered 202 with the first, after a restart too', async () => {
    const headers = { 'Svc-Deduplication-Id': 'order-1', 'Svc-Delay': '1h' };
    const first = await publish(endpoint.url, headers);
    const again = await publish(endpoint.url, headers);
    expect(again).toMatchObject({
      status: 202,
      body: { messageId: first.body.messageId, deduplicated: true },
    });
    const { dataDirectory } = server;
    await server.stop();
    server = await startServer({ dataDirectory });
    const later = await publish(endpoint.url, headers);
    expect(later.body).toMatchObject({ messageId: first.body.messageId, deduplicated: true });
  });
});

describe('a delivery', () => {
  it('is tried 1 + retries times, each signed anew', async () => {
    endpoint.answerInTurn({ status: 500 });
    await publish(endpoint.url, { 'Svc-Retries': '2', 'Svc-Retry-Delay': '10' });
    const requests = await endpoint.received(3);
    expect(requests.map(({ headers }) => headers['svc-retried'])).toEqual(['0', '1', '2']);
    expect(new Set(requests.map(({ headers }) => headers['svc-signature'])).size).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(endpoint.requests).toHaveLength(3);
  });

  it('is not tried again after 489 with the header that says so', async () => {
    endpoint.answerInTurn({ status: 489, headers: { 'Svc-NonRetryable-Error': 'true' } });
    const { body } = await publish(endpoint.url, { 'Svc-Retry-Delay': '1' });
    await endpoint.received(1);
    await gone(body.messageId);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    const elsewhere = await RecordingEndpoint.start();
    endpoint.answerInTurn({ status: 302, headers: { location: elsewhere.url } });
    const { body } = await publish(endpoint.url, { 'Svc-Retries': '0' });
    await gone(body.messageId);
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere.stop();
  });

  it('ends at the timeout of the message', async () => {
    endpoint.answer(() => new Promise(() => undefined));
    const { body } = await publish(endpoint.url, { 'Svc-Retries': '0', 'Svc-Timeout': '0.1s' });
    await gone(body.messageId);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('of a message that was canceled in flight is not followed by another', async () => {
    let release = () => undefined as unknown;
    const held = new Promise((resolve) => {
      release = () => resolve(undefined);
    });
    endpoint.answer(async () => {
      await held;
      return { status: 500 };
    });
    const { body } = await publish(endpoint.url, { 'Svc-Retry-Delay': '1' });
    await endpoint.received(1);
    const canceled = await call('DELETE', `/v2/messages/${body.messageId}`);
    expect(canceled).toMatchObject({ status: 200, body: { cancelled: 1 } });
    release();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(endpoint.requests).toHaveLength(1);
    expect((await call('DELETE', `/v2/messages/${body.messageId}`)).status).toBe(404);
  });
});

describe('a message', () => {
  it('is shown with bytes that are not text as base64', async () => {
    const { body } = await publish(endpoint.url, { 'Svc-Delay': '1h' }, Buffer.from([0xff, 0]));
    const shown = await call('GET', `/v2/messages/${body.messageId}`);
    expect(shown.body).toMatchObject({ bodyBase64: '/wA=', maxRetries: 3, method: 'POST' });
    expect(shown.body).not.toHaveProperty('body');
  });

  it('that nobody knows is not found, and a read token may look but not touch', async () => {
    expect(await call('GET', '/v2/messages/msg_none')).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('msg_none') },
    });
    const authorization = `Bearer ${server.readToken}`;
    expect((await call('GET', '/v2/messages/msg_none', { authorization })).status).toBe(404);
    expect((await call('DELETE', '/v2/messages/msg_none', { authorization })).status).toBe(403);
    expect((await publish(endpoint.url, { authorization })).status).toBe(403);
  });
});

async function gone(messageId: string | undefined): Promise<void> {
  for (;;) {
    const { status } = await call('GET', `/v2/messages/${messageId}`);
    if (status === 404) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
