import { Client } from '@upstash/qstash';
import { Journal } from '../../../src/engine/journal.js';
import { Messages } from '../../../src/messaging/messages/message.entity.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
  client = new Client({ baseUrl: server.url, token: server.token, enableTelemetry: false });
});

afterAll(() => server.remove());

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

async function call(method: string, path: string, body?: unknown, token = server.bearer) {
  const response = await fetch(`${server.url}/v2/topics${path}`, {
    method,
    headers: { authorization: token },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: Answer = {
    status: response.status,
    text,
    body: text === '' ? null : JSON.parse(text),
  };
  return answer;
}

const endpoints = (...list: { url?: unknown; name?: unknown }[]) => ({ endpoints: list });

describe('the published client', () => {
  it('adds endpoints, lists and reads the group, removes endpoints and deletes it', async () => {
    await client.urlGroups.addEndpoints({
      name: 'mine',
      endpoints: [
        { name: 'first', url: 'https://a.example/hook' },
        { name: 'second', url: 'https://b.example/hook?x=1' },
        { url: 'https://c.example' },
      ],
    });
    const group = await client.urlGroups.get('mine');
    expect(group).toEqual({
      name: 'mine',
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      endpoints: [
        { name: 'first', url: 'https://a.example/hook' },
        { name: 'second', url: 'https://b.example/hook?x=1' },
        { url: 'https://c.example' },
      ],
    });
    expect(await client.urlGroups.list()).toEqual([group]);
    await client.urlGroups.removeEndpoints({
      name: 'mine',
      endpoints: [{ name: 'first' }, { url: 'https://c.example' }],
    });
    expect((await client.urlGroups.get('mine')).endpoints).toEqual([
      { name: 'second', url: 'https://b.example/hook?x=1' },
    ]);
    await client.urlGroups.delete('mine');
    await expect(client.urlGroups.get('mine')).rejects.toMatchObject({ status: 404 });
    expect(await client.urlGroups.list()).toEqual([]);
  });

  it('publishes to every endpoint of a group, with its default headers', async () => {
    const [one, other] = [await RecordingEndpoint.start(), await RecordingEndpoint.start()];
    await client.urlGroups.addEndpoints({
      name: 'pair',
      endpoints: [{ name: 'one', url: one.url }, { url: other.url }],
    });
    await call('PATCH', '/pair', { headers: { 'X-Tenant': ['acme'], 'X-Kind': 'group' } });
    const receipts = await client.publishJSON({
      urlGroup: 'pair',
      body: { hello: 'world' },
      headers: { 'X-Kind': 'own' },
    });
    expect(receipts).toHaveLength(2);
    for (const endpoint of [one, other]) {
      const [request] = await endpoint.received(1);
      expect(JSON.parse(String(request?.body))).toEqual({ hello: 'world' });
      expect(request?.headers).toMatchObject({
        'upstash-topic-name': 'pair',
        'x-tenant': 'acme',
        'x-kind': 'own',
      });
      await endpoint.stop();
    }
    await client.urlGroups.delete('pair');
  });
});

describe('a URL group over HTTP', () => {
  afterEach(() => call('DELETE', '/g'));

  it('answers changes with 200 and no body', async () => {
    const add = await call('POST', '/g/endpoints', endpoints({ url: 'https://a.example' }));
    const patch = await call('PATCH', '/g', { headers: { A: ['1'] } });
    const remove = await call('DELETE', '/g/endpoints', endpoints({ url: 'https://a.example' }));
    const deletion = await call('DELETE', '/g');
    for (const { status, text } of [add, patch, remove, deletion]) {
      expect({ status, text }).toEqual({ status: 200, text: '' });
    }
  });

  it('accepts a new URL for a name, and keeps its creation time', async () => {
    await call('POST', '/g/endpoints', endpoints({ url: 'https://a.example', name: 'n' }));
    const before = (await call('GET', '/g')).body as { createdAt: number };
    await call('POST', '/g/endpoints', endpoints({ url: 'https://b.example', name: 'n' }));
    expect((await call('GET', '/g')).body).toMatchObject({
      createdAt: before.createdAt,
      endpoints: [{ url: 'https://b.example', name: 'n' }],
    });
  });

  it('shows its default headers once it has some', async () => {
    await call('POST', '/g/endpoints', endpoints({ url: 'https://a.example' }));
    expect((await call('GET', '/g')).body).not.toHaveProperty('headers');
    await call('PATCH', '/g', { headers: { 'X-A': ['1', '2'], 'X-B': 'three' } });
    expect((await call('GET', '/g')).body).toMatchObject({
      headers: { 'X-A': ['1', '2'], 'X-B': ['three'] },
    });
    await call('PATCH', '/g', { headers: {} });
    expect((await call('GET', '/g')).body).not.toHaveProperty('headers');
  });

  it('disappears with its last endpoint', async () => {
    await call('POST', '/g/endpoints', endpoints({ url: 'https://a.example', name: 'n' }));
    await call('DELETE', '/g/endpoints', endpoints({ name: 'n' }));
    expect(await call('GET', '/g')).toMatchObject({ status: 404 });
  });

  it('need not exist to be deleted', async () => {
    expect((await call('DELETE', '/absent')).status).toBe(200);
  });

  it.each<[string, string, string, unknown, number, string]>([
    [
      'a name of blanks',
      'POST',
      '/a%20b/endpoints',
      endpoints({ url: 'https://a.example' }),
      400,
      'name',
    ],
    ['no JSON', 'POST', '/g/endpoints', '{', 400, 'JSON'],
    ['no endpoints', 'POST', '/g/endpoints', endpoints(), 400, 'endpoints'],
    ['no URL', 'POST', '/g/endpoints', endpoints({ name: 'n' }), 400, 'endpoints[0].url'],
    ['a URL that is none', 'POST', '/g/endpoints', endpoints({ url: 'a' }), 400, 'not a valid URL'],
    ['another scheme', 'POST', '/g/endpoints', endpoints({ url: 'ftp://a.example' }), 400, 'http'],
    [
      'metadata',
      'POST',
      '/g/endpoints',
      endpoints({ url: 'http://169.254.169.254' }),
      400,
      'metadata',
    ],
    [
      'a bad name',
      'POST',
      '/g/endpoints',
      endpoints({ url: 'http://a.example', name: 'a b' }),
      400,
      'name',
    ],
    [
      'a typo',
      'POST',
      '/g/endpoints',
      endpoints({ url: 'http://a.example', nmae: 'a' } as never),
      400,
      'nmae',
    ],
    ['nothing to remove', 'DELETE', '/g/endpoints', endpoints({}), 400, 'a url or a name'],
    ['headers that are none', 'PATCH', '/g', { headers: { 'a b': 'c' } }, 400, 'header name'],
    ['a host', 'PATCH', '/g', { headers: { Host: 'a.example' } }, 400, 'headers.Host is written'],
    ['a line break', 'PATCH', '/g', { headers: { a: 'b\r\nc' } }, 400, 'no header can carry'],
    ['headers of no group', 'PATCH', '/absent', { headers: { a: 'b' } }, 404, 'absent not found'],
    ['a reading of no group', 'GET', '/absent', undefined, 404, 'absent not found'],
  ])('refuses %s', async (_what, method, path, body, status, reason) => {
    const answer = await call(method, path, body);
    expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(reason) } });
  });

  it('has at most a thousand endpoints', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({
      url: `https://a.example/${index}`,
    }));
    const answer = await call('POST', '/g/endpoints', { endpoints: many });
    expect(answer).toMatchObject({ status: 412, body: { error: expect.any(String) } });
    expect(await call('GET', '/g')).toMatchObject({ status: 404 });
  });

  const publish = (group: string, headers: Record<string, string>, body: string) =>
    fetch(`${server.url}/v2/publish/${group}`, {
      method: 'POST',
      headers: { authorization: server.bearer, 'upstash-delay': '1h', ...headers },
      body,
    });

  it('can receive more than fits one append of the journal', async () => {
    const long = 'p'.repeat(8000);
    const urls = Array.from({ length: 300 }, (_, index) => ({
      url: `https://a.example/${long}/${index}`,
    }));
    await call('POST', '/long/endpoints', endpoints(...urls));
    await call('PATCH', '/long', { headers: { 'X-Group': 'x'.repeat(60_000) } });
    const answer = await publish('long', { 'upstash-forward-x-own': 'y'.repeat(60_000) }, 'body');
    expect(await answer.json()).toHaveLength(300);
  });

  it('has the body stored once, even if the first message is a duplicate', async () => {
    const urls = Array.from({ length: 5 }, (_, index) => ({ url: `https://a.example/${index}` }));
    const identity = { 'upstash-deduplication-id': 'grown' };
    await call('POST', '/grown/endpoints', endpoints(...urls.slice(0, 2)));
    expect(await (await publish('grown', identity, 'body')).json()).toHaveLength(2);
    await call('POST', '/grown/endpoints', endpoints(...urls));
    const answers = (await (await publish('grown', identity, 'body')).json()) as {
      messageId: string;
      deduplicated?: true;
    }[];
    expect(answers.map(({ deduplicated = false }) => deduplicated)).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
    const { nest } = server.application;
    const stored: boolean[] = [];
    for (const { messageId } of answers.slice(2)) {
      const offset = nest.get(Messages).actors.firstOffsetOf(messageId) ?? 0;
      stored.push((await nest.get(Journal).read(offset))?.body !== null);
    }
    expect(stored).toEqual([true, false, false]);
  });

  it('refuses two URLs with one name in a request, as one would be lost', async () => {
    const [a, b] = ['https://a.example/', 'https://b.example/'];
    const twice = endpoints({ url: a, name: 'n' }, { url: b, name: 'n' });
    expect(await call('POST', '/twice/endpoints', twice)).toMatchObject({
      status: 400,
      body: { error: 'endpoints[1].name is the name of another URL in this request' },
    });
    expect((await call('GET', '/twice')).status).toBe(404);
    const same = endpoints({ url: a, name: 'n' }, { url: a, name: 'n' });
    expect((await call('POST', '/twice/endpoints', same)).status).toBe(200);
    expect((await call('POST', '/twice/endpoints', endpoints({ url: b, name: 'n' }))).status).toBe(
      200,
    );
    expect((await call('DELETE', '/twice')).status).toBe(200);
  });

  it('is not changed by a client that may only read', async () => {
    const readOnly = `Bearer ${server.readToken}`;
    const body = endpoints({ url: 'https://a.example' });
    expect((await call('POST', '/g/endpoints', body, readOnly)).status).toBe(403);
    expect((await call('GET', '', undefined, readOnly)).status).toBe(200);
    expect((await call('GET', '', undefined, 'Bearer nobody')).status).toBe(401);
  });

  it('still exists after a restart', async () => {
    const first = await startServer();
    const headers = { authorization: first.bearer };
    const body = JSON.stringify(endpoints({ url: 'https://a.example', name: 'n' }));
    await fetch(`${first.url}/v2/topics/kept/endpoints`, { method: 'POST', headers, body });
    const before = await (await fetch(`${first.url}/v2/topics`, { headers })).json();
    await first.stop();
    const second = await startServer({ dataDirectory: first.dataDirectory });
    expect(await (await fetch(`${second.url}/v2/topics`, { headers })).json()).toEqual(before);
    expect(before).toMatchObject([{ name: 'kept' }]);
    await second.remove();
  });
});
