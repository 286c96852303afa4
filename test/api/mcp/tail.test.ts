import { fastify } from 'fastify';
import { questionsOf } from '../../../src/server/mcp/caller-questions.js';
import { callApi } from '../../support/clients/api-call.js';
import { McpClients, tell } from '../../support/clients/mcp-clients.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
/** A created token: it enters both interfaces, and may only read. */
let token: string;
const clients = new McpClients();

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_MCP: 'true' } });
  const headers = { authorization: server.basic };
  const body = JSON.stringify({ name: 'assistant', role: 'read' });
  const created = await callApi(server, 'POST', '/admin/tokens', headers, body);
  token = (created.body as { token: string }).token;
});
afterAll(async () => {
  await clients.close();
  await server.remove();
});

async function publish(label: string): Promise<string> {
  const path = '/v2/publish/http://127.0.0.1:9000/hook';
  const headers = { 'svc-delay': '1h', 'svc-label': label };
  const published = await callApi(server, 'POST', path, headers, '{}');
  return (published.body as { messageId: string }).messageId;
}

async function produce(topic: string, value: string): Promise<void> {
  const headers = { authorization: server.basic };
  const { status } = await callApi(server, 'GET', `/produce/${topic}/${value}`, headers);
  expect(status).toBe(200);
}

/** The `GET`s that the server has answered on a route, by its metrics. */
async function answered(route: string): Promise<number> {
  const headers = { authorization: server.basic };
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
  const lines = text.split('\n').filter((line) => line.includes(`route="${route}"`));
  const counts = lines.filter((line) => line.startsWith('stepwell_http_requests_total'));
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const transports = [
  ['HTTP', () => clients.overHttp(server.url, `Bearer ${token}`)],
  ['pipes', () => clients.overPipes(server.url, token)],
] as const;

it.each(transports)(
  'a tail over %s waits for the next row of its filter',
  async (name, connect) => {
    const client = await connect();
    const label = `next-${name}`;
    const before = await publish(label);
    const asked = await answered('/v2/logs');
    const filters = { label };
    const tailed = tell(client, 'tail', { kind: 'message', wait: 20, filters });
    // The second look sees that nothing has come: the first one says from when on.
    while ((await answered('/v2/logs')) < asked + 2) await new Promise((go) => setTimeout(go, 20));
    const id = await publish(label);
    const { logs } = (await tailed).value as { logs: { messageId: string; time: number }[] };
    const ids = logs.map(({ messageId }) => messageId);
    expect(new Set(ids)).toEqual(new Set([id]));
    expect(ids).not.toContain(before);
    const since = Math.max(...logs.map(({ time }) => time)) + 1;
    const rest = await tell(client, 'tail', { kind: 'message', since, wait: 1, filters });
    expect(rest.value).toEqual({ logs: [] });
  },
);

it('a tail of a topic waits for the next record', async () => {
  const client = await clients.overHttp(server.url, `Bearer ${token}`);
  await produce('waited', 'old');
  const asked = await answered('/admin/topics/:name');
  const tailed = tell(client, 'tail', { kind: 'topic', topic: 'waited', wait: 20 });
  // Where the topic ends is known by then; a record that comes earlier is one of before.
  while ((await answered('/admin/topics/:name')) === asked) {
    await new Promise((go) => setTimeout(go, 20));
  }
  await produce('waited', 'new');
  expect((await tailed).value).toMatchObject([{ topic: 'waited', value: 'new' }]);
  const since = Date.now() + 60_000;
  const none = await tell(client, 'tail', { kind: 'topic', topic: 'waited', since, wait: 1 });
  expect(none).toEqual({ isError: false, value: [] });
});

it('nothing waits longer than twenty seconds', async () => {
  const client = await clients.overHttp(server.url, `Bearer ${token}`);
  const long = await tell(client, 'tail', { kind: 'message', wait: 21 });
  expect(long).toMatchObject({ isError: true, value: expect.stringContaining('wait') });
});

it('tails whose clients have gone make room for other calls', async () => {
  const call = (words: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: words });
  const post = (body: string, signal?: AbortSignal) =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-06-18',
      },
      body,
      ...(signal !== undefined && { signal }),
    });
  const list = call({ name: 'list', arguments: { kind: 'queue' } });
  const leaving = new AbortController();
  const filters = { label: 'never' };
  const words = { name: 'tail', arguments: { kind: 'message', wait: 20, filters } };
  const waiting = Array.from({ length: 16 }, () => post(call(words), leaving.signal));
  const ended = Promise.allSettled(waiting);
  while ((await post(list)).status !== 503) await new Promise((go) => setTimeout(go, 20));
  leaving.abort();
  expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
  const asked = await answered('/v2/logs');
  while ((await post(list)).status !== 200) await new Promise((go) => setTimeout(go, 20));
  // To wait to the end, each of them would have asked some nineteen times more.
  expect((await answered('/v2/logs')) - asked).toBeLessThan(16 * 10);
});

describe('a question that the server does not answer in time', () => {
  const asker = { authorization: '', requestId: 'slow', address: '127.0.0.1' };

  it.each([
    ['has no answer', '/silent'],
    ['has half of one', '/half'],
  ])('ends in words where it %s', async (_name, target) => {
    const slow = fastify();
    slow.get('/silent', () => new Promise(() => undefined));
    slow.get('/half', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200).write('{');
    });
    const ask = questionsOf(slow, asker, 50);
    await expect(ask({ target, body: null })).rejects.toThrow('more than 0.05 s');
    await slow.close();
  });
});
