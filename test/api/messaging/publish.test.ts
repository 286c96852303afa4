import { createHash } from 'node:crypto';
import { Client } from '@upstash/qstash';
import fc from 'fast-check';
import { callApi } from '../../support/clients/api-call.js';
import { bodyOf, rawRequest, statusOf } from '../../support/clients/raw-request.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

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

interface PublishAnswer {
  readonly messageId?: string;
  readonly url?: string;
  readonly deduplicated?: true;
  readonly error?: string;
}

async function call(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
) {
  const answer = await callApi(server, method, path, headers, body);
  return { ...answer, body: answer.body as PublishAnswer };
}

const publish = (
  destination: string,
  headers: Record<string, string> = {},
  body: string | Buffer = 'x',
) => call('POST', `/v2/publish/${destination}`, headers, body);

const batchOf = (destination: string) => JSON.stringify([{ destination }]);

describe('a publish', () => {
  it('is answered with the message and its durability', async () => {
    const { status, headers, body } = await publish(endpoint.url);
    expect(status).toBe(200);
    expect(body).toEqual({
      messageId: expect.stringMatching(/^msg_[0-9A-Z]+$/),
      url: endpoint.url,
    });
    expect(headers.get('stepwell-durability')).toBe('fsync');
    expect(headers.get('content-type')).toContain('application/json');
  });

  it('delivers every byte unchanged', async () => {
    const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, index) => index % 256));
    await publish(endpoint.url, { 'content-type': 'application/x-any; a="b"' }, bytes);
    const [request] = await endpoint.received(1);
    expect(request?.body.equals(bytes)).toBe(true);
    expect(request?.headers['content-type']).toBe('application/x-any; a="b"');
    expect(request?.headers['user-agent']).toMatch(/^Stepwell\//);
    expect(request?.headers).toHaveProperty('svc-signature');
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it('keeps an invalid content type, which its receiver may understand', async () => {
    await publish(endpoint.url, { 'content-type': 'json' });
    const [request] = await endpoint.received(1);
    expect(request?.headers['content-type']).toBe('json');
  });

  it('is delivered in its own dialect', async () => {
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

  it.each(['/a/../b//c?x=1', '/%2e%2e/x?a[]=1|2', '?only=a-query', '/{x}"'])(
    'calls %s and signs that URL',
    async (rest) => {
      const { body } = await callApi(server, 'POST', '/v2/batch', {}, batchOf(endpoint.url + rest));
      const [{ url }] = body as [{ url: string }];
      const [request] = await endpoint.received(1);
      const [, claims = ''] = String(request?.headers['svc-signature']).split('.');
      const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string };
      expect(sub).toBe(url);
      expect(sub).toBe(`${endpoint.url}${request?.url}`.replace('/?only', '?only'));
    },
  );

  it('forwards its headers on demand, and shows what will arrive', async () => {
    const headers = {
      'X-Theirs': '1',
      'X-Both': 'plain',
      Cookie: 'c=1; stepwell_0a1b2c3d=x',
      'content-type': 'text/x',
    };
    const options = { 'Svc-Header-Forward': 'true', 'Svc-Forward-X-Both': 'named' };
    const { body } = await publish(endpoint.url, { ...headers, ...options, 'Svc-Delay': '1s' });
    const shown = await callApi(server, 'GET', `/v2/messages/${body.messageId}`);
    const { header } = shown.body as { header: Record<string, string[]> };
    const [request] = await endpoint.received(1);
    const arrived = { 'x-theirs': '1', 'x-both': 'named', cookie: 'c=1', 'content-type': 'text/x' };
    expect(request?.headers).toMatchObject(arrived);
    expect(request?.headers).not.toHaveProperty('authorization');
    for (const [name, values] of Object.entries(header)) {
      expect([request?.headers[name.toLowerCase()]]).toEqual(values);
    }
    const names = Object.keys(header);
    expect(names).toEqual(expect.arrayContaining(['X-Theirs', 'X-Both', 'Cookie', 'Content-Type']));
    for (const hop of ['Host', 'Connection', 'Content-Length', 'Accept-Encoding']) {
      expect(names).not.toContain(hop);
    }
  });

  it('joins the values of a header that is forwarded more than once', async () => {
    const { port } = new URL(endpoint.url);
    const lines = ['Svc-Forward-X-Two: a', 'svc-forward-x-two: b', 'Svc-Forward-Svc-X: 1'];
    const head = [
      `POST /v2/publish/http://127.0.0.1:${port}/ HTTP/1.1`,
      'Host: stepwell',
      `Authorization: ${server.bearer}`,
      ...lines,
      'Content-Length: 0',
      'Connection: close',
    ].join('\r\n');
    await rawRequest(server.port, `${head}\r\n\r\n`);
    const [request] = await endpoint.received(1);
    expect(request?.rawHeaders).toEqual(expect.arrayContaining(['X-Two', 'a, b', 'Svc-X', '1']));
  });

  it('takes options from the query and leaves the rest to the destination', async () => {
    const url = `${endpoint.url}/a//b?x=1&svc-retries=0&svc-forward-x-a=b&token=${server.token}&y=`;
    const response = await fetch(`${server.url}/v2/publish/${url}`, { method: 'POST' });
    expect(response.status).toBe(200);
    const [request] = await endpoint.received(1);
    expect(request?.url).toBe('/a//b?x=1&y=');
    expect(request?.headers['x-a']).toBe('b');
  });

  it('sends no body with GET, and signs that there is none', async () => {
    await publish(endpoint.url, { 'Svc-Method': 'GET' }, '');
    const [request] = await endpoint.received(1);
    expect(request).toMatchObject({ method: 'GET' });
    expect(request?.body).toHaveLength(0);
    const [, claims = ''] = String(request?.headers['svc-signature']).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'stepwell',
      sub: endpoint.url,
      nbf: 0,
      body: createHash('sha256').digest('base64url'),
    });
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
    [{ 'Upstash-Callback': 'example.com' }, 400, 'Upstash-Callback'],
    [{ 'Svc-Schedule-Id': 'x' }, 400, 'Svc-Cron'],
  ])('with %j is refused with %i', async (headers, status, named) => {
    const answer = await publish(endpoint.url, headers as unknown as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringContaining(named) });
  });

  it('with a body above the limit is refused with 413', async () => {
    const answer = await publish(endpoint.url, {}, Buffer.alloc(65 * 1024));
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({ error: expect.any(String) });
  });

  it('that is refused stores nothing', async () => {
    const engine = await import('../../../src/engine/engine.js');
    const actors = server.application.nest.get(engine.Engine).actors('message');
    const before = actors.size;
    await publish(endpoint.url, { 'Svc-Delay': 'soon' });
    await publish('http://169.254.169.254/');
    expect(actors.size).toBe(before);
  });

  it('repeated in the window is answered 202 with the first, even after a restart', async () => {
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

describe('a publish to a URL group', () => {
  const messageId = expect.stringMatching(/^msg_\w+$/);
  const makeGroup = async (name: string, endpoints: readonly object[]) => {
    const path = `/v2/topics/${name}/endpoints`;
    expect((await call('POST', path, {}, JSON.stringify({ endpoints }))).status).toBe(200);
  };

  it('is answered with a list and delivered to each endpoint, from one stored body', async () => {
    const urls = ['/one', '/two?x=1'].map((path) => `${endpoint.url}${path}`);
    await makeGroup('pair', [{ url: urls[0], name: 'first' }, { url: urls[1] }]);
    const { status, headers, body } = await publish('pair', { 'Svc-Forward-X-A': 'b' }, 'to all');
    expect(status).toBe(200);
    expect(headers.get('stepwell-durability')).toBe('fsync');
    expect(body).toEqual(urls.map((url) => ({ messageId, url })));
    const requests = await endpoint.received(2);
    expect(requests.map(({ url }) => url).sort()).toEqual(['/one', '/two?x=1']);
    for (const request of requests) {
      expect(request.body.toString()).toBe('to all');
      expect(request.headers).toMatchObject({ 'svc-topic-name': 'pair', 'x-a': 'b' });
    }
  });

  it('reads a delayed body from its only copy', async () => {
    await makeGroup('later', [{ url: `${endpoint.url}/one` }, { url: `${endpoint.url}/two` }]);
    const { body } = await publish('later', { 'Svc-Delay': '1h' }, 'stored once');
    const ids = (body as unknown as { messageId: string }[]).map((each) => each.messageId);
    for (const id of ids) {
      const shown = await call('GET', `/v2/messages/${id}`);
      expect(shown.body).toMatchObject({ body: 'stored once', topicName: 'later' });
    }
  });

  it("sends the group's own headers unless the publish names them", async () => {
    await makeGroup('polite', [{ url: endpoint.url }]);
    const defaults = JSON.stringify({ headers: { 'X-A': ['group'], 'X-B': ['group'] } });
    expect((await call('PATCH', '/v2/topics/polite', {}, defaults)).status).toBe(200);
    await publish('polite', { 'Svc-Forward-x-a': 'publish' });
    const [request] = await endpoint.received(1);
    expect(request?.headers).toMatchObject({ 'x-a': 'publish', 'x-b': 'group' });
  });

  it('is deduplicated for each endpoint separately', async () => {
    const [one, two] = [{ url: `${endpoint.url}/one` }, { url: `${endpoint.url}/two` }];
    await makeGroup('once', [one]);
    const headers = { 'Svc-Deduplication-Id': 'a', 'Svc-Delay': '1h' };
    const first = await publish('once', headers);
    await makeGroup('once', [two]);
    const again = await publish('once', headers);
    const [{ messageId: id }] = first.body as unknown as [{ messageId: string }];
    expect(again.body).toEqual([
      { messageId: id, url: one.url, deduplicated: true },
      { messageId, url: two.url },
    ]);
  });

  it('may be larger than a turn', async () => {
    const endpoints = Array.from({ length: 600 }, (_, index) => ({
      url: `${endpoint.url}/${index}`,
    }));
    await makeGroup('crowd', endpoints);
    const { body } = await publish('crowd', { 'Svc-Delay': '1h' }, 'to the crowd');
    const receipts = body as unknown as { messageId: string; url: string }[];
    expect(receipts.map(({ url }) => url)).toEqual(endpoints.map(({ url }) => url));
    const last = await call('GET', `/v2/messages/${receipts[599]?.messageId}`);
    expect(last.body).toMatchObject({ body: 'to the crowd' });
  });

  it('takes options from the query after its name', async () => {
    await makeGroup('query', [{ url: endpoint.url }]);
    await publish('query?svc-forward-x-a=b');
    const [request] = await endpoint.received(1);
    expect(request?.headers['x-a']).toBe('b');
  });
});

describe('a publish with a cron', () => {
  const scheduleId = expect.stringMatching(/^scd_\w+$/);
  const cron = '0 0 1 1 *';
  const schedule = (destination: string, headers: Record<string, string>) =>
    call('POST', `/v2/schedules/${destination}`, headers, 'x');

  it('is answered with the id of its schedule on every route', async () => {
    for (const create of [publish, schedule]) {
      const { status, headers, body } = await create(endpoint.url, { 'Svc-Cron': cron });
      expect(status).toBe(200);
      expect(body).toEqual({ scheduleId });
      expect(headers.get('stepwell-durability')).toBe('fsync');
    }
    const enqueued = await call(
      'POST',
      `/v2/enqueue/line/${endpoint.url}`,
      { 'Svc-Cron': cron },
      'x',
    );
    expect(enqueued).toMatchObject({ status: 200, body: { scheduleId } });
  });

  it('keeps the id that it names, and its definition', async () => {
    const { body } = await schedule(`${endpoint.url}/a?x=1&svc-retries=1`, {
      'Svc-Cron': ` CRON_TZ=Europe/Berlin ${cron} `,
      'Svc-Schedule-Id': 'yearly',
      'Svc-Delay': '90s',
      'Svc-Callback': `${endpoint.url}/called`,
      'Content-Type': 'text/x-note',
      'Svc-Queue-Name': 'line',
      'Svc-Label': 'blue',
    });
    expect(body).toEqual({ scheduleId: 'yearly' });
    expect((await call('GET', '/v2/schedules/yearly')).body).toMatchObject({
      scheduleId: 'yearly',
      cron: `CRON_TZ=Europe/Berlin ${cron}`,
      destination: `${endpoint.url}/a?x=1`,
      method: 'POST',
      body: 'x',
      retries: 1,
      delay: 90,
      callback: `${endpoint.url}/called`,
      header: { 'Content-Type': ['text/x-note'] },
      queueName: 'line',
      label: 'blue',
    });
  });

  it.each([
    ['https://example.com', {}, 400, 'Svc-Cron is missing'],
    ['https://example.com', { 'Svc-Cron': 'x' }, 400, 'cron'],
    ['https://example.com', { 'Svc-Cron': '* * * * * *' }, 400, 'cron'],
    ['https://example.com', { 'Svc-Cron': cron, 'Svc-Not-Before': '1' }, 400, 'Svc-Not-Before'],
    ['https://example.com', { 'Svc-Cron': cron, 'Svc-Schedule-Id': 'a b' }, 400, 'Schedule-Id'],
    ['https://example.com', { 'Svc-Cron': cron, 'Svc-Delay': '2y' }, 412, 'Svc-Delay'],
    ['', { 'Svc-Cron': cron }, 400, 'the destination is missing'],
    ['nobody', { 'Svc-Cron': cron }, 404, 'URL group nobody not found'],
    ['http://169.254.169.254/', { 'Svc-Cron': cron }, 400, 'metadata'],
  ])('to "%s" with %j is refused with %i', async (destination, headers, status, error) => {
    const answer = await schedule(destination, headers as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringContaining(error) });
  });
});

describe('the published client', () => {
  it('publishes to a URL group by name', async () => {
    const client = new Client({ baseUrl: server.url, token: server.token });
    const endpoints = [{ url: `${endpoint.url}/one` }, { url: `${endpoint.url}/two`, name: 'two' }];
    await client.urlGroups.addEndpoints({ name: 'named', endpoints });
    const answer = await client.publishJSON({ urlGroup: 'named', body: { a: 1 } });
    expect(answer).toEqual(
      endpoints.map(({ url }) => ({ messageId: expect.stringMatching(/^msg_/), url })),
    );
    const requests = await endpoint.received(2);
    expect(requests.map(({ url }) => url).sort()).toEqual(['/one', '/two']);
    for (const { headers, body } of requests) {
      expect(headers['upstash-topic-name']).toBe('named');
      expect(body.toString()).toBe('{"a":1}');
    }
    const unknown = client.publish({ urlGroup: 'unknown', body: 'x' });
    await expect(unknown).rejects.toMatchObject({ status: 404 });
  });

  it('creates schedules, and overwrites one by its id', async () => {
    const client = new Client({ baseUrl: server.url, token: server.token });
    const request = { destination: endpoint.url, cron: '0 0 1 1 *', body: '{"a":1}', delay: 5 };
    const { scheduleId } = await client.schedules.create(request);
    expect(await client.schedules.get(scheduleId)).toMatchObject({ cron: '0 0 1 1 *', delay: 5 });
    const again = { destination: `${endpoint.url}/b`, cron: '0 0 1 2 *', scheduleId };
    expect(await client.schedules.create(again)).toEqual({ scheduleId });
    const overwritten = await client.schedules.get(scheduleId);
    expect(overwritten).toMatchObject({ cron: '0 0 1 2 *', destination: `${endpoint.url}/b` });
    expect(overwritten).not.toHaveProperty('body');
  });
});

describe('a delivery', () => {
  it('is attempted 1 + retries times, signed anew each time', async () => {
    endpoint.answerInTurn({ status: 500 });
    await publish(endpoint.url, { 'Svc-Retries': '2', 'Svc-Retry-Delay': '10' });
    const requests = await endpoint.received(3);
    expect(requests.map(({ headers }) => headers['svc-retried'])).toEqual(['0', '1', '2']);
    expect(new Set(requests.map(({ headers }) => headers['svc-signature'])).size).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(endpoint.requests).toHaveLength(3);
  });

  it('is not retried after 489 with the header that forbids it', async () => {
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

  it('is not followed by another if its message was canceled in flight', async () => {
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
  it('is shown with binary contents as base64', async () => {
    const { body } = await publish(endpoint.url, { 'Svc-Delay': '1h' }, Buffer.from([0xff, 0]));
    const shown = await call('GET', `/v2/messages/${body.messageId}`);
    expect(shown.body).toMatchObject({ bodyBase64: '/wA=', maxRetries: 3, method: 'POST' });
    expect(shown.body).not.toHaveProperty('body');
  });

  it('that does not exist is not found, and a read token may only read', async () => {
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

describe('any request to publish', () => {
  const option = fc.constantFrom(
    ...['Method', 'Delay', 'Not-Before', 'Timeout', 'Retries', 'Retry-Delay', 'Label', 'Cron'],
    ...['Redact-Fields', 'Flow-Control-Key', 'Flow-Control-Value', 'Queue-Name', 'Schedule-Id'],
    ...['Callback', 'Callback-Delay', 'Failure-Callback', 'Failure-Callback-Retries'],
    ...['Callback-Forward-A', 'Forward-A', 'Header-Forward', 'Deduplication-Id', 'Anything'],
  );
  const value = fc.oneof(
    fc.stringMatching(/^[\t -~\x80-\xff]{0,30}$/),
    fc.constantFrom('1', 'true', '1h', 'name', 'rate=1', '* * * * *', 'https://example.invalid/'),
  );
  const target = fc.oneof(
    fc.constantFrom(
      'https://example.invalid/a',
      'https:/example.invalid',
      'nobody',
      'queue/nobody',
      '',
    ),
    fc.stringMatching(/^[!-~]{0,30}$/),
  );
  const way = fc.constantFrom('publish', 'enqueue', 'schedules', 'batch', 'enqueue/line');
  const headers = fc.dictionary(option, value, { maxKeys: 5 });

  it('is answered, and never with an internal error', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(way, target, headers, async (name, destination, options) => {
        const lines = Object.entries({ Delay: '1h', ...options }).map(
          ([each, text]) => `Svc-${each}: ${text}\r\n`,
        );
        const headersOfItem = Object.fromEntries(
          Object.entries(options).map(([each, text]) => [`svc-${each}`, text]),
        );
        const body = JSON.stringify([{ destination, headers: headersOfItem }]);
        const answer = await rawRequest(
          server.port,
          `POST /v2/${name}${name === 'batch' ? '' : `/${destination}`} HTTP/1.1\r\nHost: a\r\n` +
            `Authorization: ${server.bearer}\r\nConnection: close\r\n${lines.join('')}` +
            `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
        const status = statusOf(answer);
        statuses.add(status);
        expect([200, 202, 400, 404, 412]).toContain(status);
        expect(bodyOf(answer)).toBeTruthy();
      }),
      { numRuns: 300 },
    );
    expect(statuses.size).toBeGreaterThanOrEqual(3);
  });
});
