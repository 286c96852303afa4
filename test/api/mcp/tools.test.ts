import type { Client } from '@modelcontextprotocol/client';
import { pino } from 'pino';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { McpClients, tell } from '../../support/clients/mcp-clients.js';
import { GatedDisk } from '../../support/program/gated-disk.js';
import { startServer, type TestServer } from '../../support/server.js';

const readToken = 'a-token-that-may-read-only';
const environment = { STEPWELL_MCP: 'true', STEPWELL_READ_TOKEN: readToken };
const lines: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
let server: TestServer;
const clients = new McpClients();

beforeAll(async () => {
  server = await startServer({ environment, ports: { log } });
});
afterAll(async () => {
  await clients.close();
  await server.remove();
});

const overHttp = (authorization: string, mode?: 'auto' | 'legacy') =>
  clients.overHttp(server.url, authorization, mode);
const overPipes = (token: string) => clients.overPipes(server.url, token);

/** A token that enters both interfaces, with a role. */
async function createToken(role: string): Promise<string> {
  const name = `${role}-${Math.random().toString(36).slice(2)}`;
  const headers = { authorization: server.basic };
  const body = JSON.stringify({ name, role });
  const created = await callApi(server, 'POST', '/admin/tokens', headers, body);
  return (created.body as { token: string }).token;
}

async function publish(): Promise<string> {
  const path = '/v2/publish/http://127.0.0.1:9000/hook';
  const headers = { 'svc-delay': '1h', 'svc-label': 'mcp' };
  const published = await callApi(server, 'POST', path, headers, '{}');
  return (published.body as { messageId: string }).messageId;
}

const transports: [string, (token: string) => Promise<Client>][] = [
  ['HTTP', (token) => overHttp(`Bearer ${token}`)],
  ['HTTP as of 2025', (token) => overHttp(`Bearer ${token}`, 'legacy')],
  ['pipes', overPipes],
];

describe.each(transports)('over %s', (_name, connect) => {
  it('a client that may only read lists, shows, explains and tails', async () => {
    const id = await publish();
    const authorization = server.basic;
    const topic = `rides-${id.slice(-6).toLowerCase()}`;
    await fetch(`${server.url}/produce/${topic}/hello`, { headers: { authorization } });
    const client = await connect(await createToken('read'));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['list', 'show', 'tail', 'why']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);

    const filters = { label: 'mcp' };
    const listed = await tell(client, 'list', { kind: 'message', count: 100, filters });
    const { messages } = listed.value as { messages: { messageId: string }[] };
    expect(messages.map(({ messageId }) => messageId)).toContain(id);
    const shown = await tell(client, 'show', { kind: 'message', id });
    expect(shown.value).toMatchObject({ messageId: id, label: 'mcp' });
    const why = await tell(client, 'why', { kind: 'message', id });
    expect(why.value).toMatchObject({ messageId: id, reason: 'delayed' });
    const tailed = await tell(client, 'tail', { kind: 'message', since: 0, filters });
    const { logs } = tailed.value as { logs: { messageId: string; state: string }[] };
    expect(logs.find(({ messageId }) => messageId === id)).toMatchObject({ state: 'CREATED' });
    const records = await tell(client, 'tail', { kind: 'topic', topic, count: 5 });
    expect(records.value).toMatchObject([{ topic, value: 'hello' }]);
    const since = await tell(client, 'tail', { kind: 'topic', topic, since: 0 });
    expect(since.value).toEqual(records.value);
  });

  it('every kind can be listed', async () => {
    const client = await connect(await createToken('read'));
    const { tools } = await client.listTools();
    const list = tools.find(({ name }) => name === 'list');
    const { kind } = (list?.inputSchema.properties ?? {}) as {
      kind: { enum: string[] };
    };
    expect(kind.enum).toHaveLength(11);
    for (const one of kind.enum) {
      const { isError, value } = await tell(client, 'list', { kind: one });
      expect([one, isError, typeof value]).toEqual([one, false, 'object']);
    }
  });

  it('bad input and what is not there are answered in words', async () => {
    const client = await connect(await createToken('read'));
    const gone = await tell(client, 'show', { kind: 'message', id: 'msg_none' });
    expect(gone).toMatchObject({ isError: true, value: expect.stringContaining('msg_none') });
    const filters = { colour: 'red' };
    const unknown = await tell(client, 'list', { kind: 'message', filters });
    expect(unknown.value).toContain('there is no filter');
    const wrong = await tell(client, 'list', { kind: 'planet' });
    expect(wrong).toMatchObject({ isError: true, value: expect.stringContaining('kind') });
    const nameless = await tell(client, 'tail', { kind: 'topic' });
    expect(nameless).toMatchObject({ isError: true, value: expect.stringContaining('topic') });
    // A path cannot leave its place.
    const outside = await tell(client, 'show', { kind: 'message', id: '../keys' });
    expect(outside.isError).toBe(true);
  });

  it('a configured token sees messages, and is refused topics as anywhere', async () => {
    const client = await connect(readToken);
    expect((await tell(client, 'list', { kind: 'queue' })).isError).toBe(false);
    const topics = await tell(client, 'list', { kind: 'topic' });
    expect(topics).toMatchObject({ isError: true, value: expect.stringContaining('unauthorized') });
  });
});

it('an answer that no model could read is refused, and nothing of it is kept', async () => {
  const path = '/v2/publish/http://127.0.0.1:9000/long';
  const headers = { 'svc-delay': '1h', 'svc-label': 'long' };
  const { body } = await callApi(server, 'POST', path, headers, 'x'.repeat(300_000));
  const { messageId: id } = body as { messageId: string };
  const filters = { label: 'long' };
  for (const client of [await overHttp(server.bearer), await overPipes(server.token)]) {
    const whole = await tell(client, 'show', { kind: 'message', id });
    expect(whole).toMatchObject({ isError: true, value: expect.stringContaining('262144 bytes') });
    const one = await tell(client, 'list', { kind: 'message', filters, count: 1 });
    expect(one.isError).toBe(false);
  }
  const inFlight = async () => {
    const answer = await fetch(`${server.url}/metrics`, {
      headers: { authorization: server.basic },
    });
    return /^stepwell_in_flight_bytes (\d+)$/m.exec(await answer.text())?.[1];
  };
  while ((await inFlight()) !== '0') await new Promise((resolve) => setTimeout(resolve, 50));
  // The server gave up its own answer, which is no failure.
  expect(lines).toEqual([]);
});

it('schedules are listed in pages', async () => {
  for (const name of ['first', 'second']) {
    const headers = { 'svc-cron': '0 3 * * *', 'svc-schedule-id': name };
    await callApi(server, 'POST', '/v2/schedules/http://127.0.0.1:9000/', headers, '{}');
  }
  const client = await overHttp(server.bearer);
  const { value } = await tell(client, 'list', { kind: 'schedule', count: 1 });
  const [{ scheduleId } = { scheduleId: '' }] = schedulesIn(value);
  expect(schedulesIn(value)).toHaveLength(1);
  expect(['first', 'second']).toContain(scheduleId);
});

/** The schedules of a listing. */
function schedulesIn(value: unknown): readonly { scheduleId: string }[] {
  // The page of a listing with `count` is an object, as the protocol says.
  return (value as { schedules: { scheduleId: string }[] }).schedules;
}

it('sixteen calls run at once, more are refused for a while, and each one ends', async () => {
  const gated = new GatedDisk(nodeDisk);
  const slow = await startServer({ environment, ports: { disk: gated.disk } });
  gated.hold();
  // What is read is answered once it is durable, and this is not before the gate is open.
  const path = '/v2/publish/http://127.0.0.1:9000/hook';
  const publishing = callApi(slow, 'POST', path, { 'svc-delay': '1h' }, '{}');
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list', arguments: { kind: 'message' } },
  });
  const answers: Response[] = [];
  const version = { 'mcp-protocol-version': '2025-06-18', connection: 'close' };
  const headers = { authorization: slow.bearer, ...version };
  const calls = Array.from({ length: 20 }, async () => {
    answers.push(await post(slow.url, headers, call));
  });
  while (answers.length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const answer of answers) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.text()).toContain('16 calls of tools are under way');
  }
  gated.release();
  await Promise.all([publishing, ...calls]);
  const taken = answers.filter(({ status }) => status === 200);
  expect(taken).toHaveLength(16);
  for (const answer of taken) {
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.text()).toContain('messages');
  }
  await slow.remove();
});

it('a list of messages is refused, as all of its calls would run at once', async () => {
  const call = { method: 'tools/call', params: { name: 'list', arguments: { kind: 'message' } } };
  const calls = [1, 2].map((id) => ({ jsonrpc: '2.0', id, ...call }));
  for (const version of ['2025-03-26', '2025-06-18']) {
    const headers = { authorization: server.bearer, 'mcp-protocol-version': version };
    const answer = await post(server.url, headers, ` ${JSON.stringify(calls)}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      error: {
        code: -32600,
        message: 'the body is a list: a request has one message of the protocol',
      },
      id: null,
    });
  }
});

it('a subscription is refused, as nothing would ever be sent', async () => {
  const client = await overHttp(server.bearer);
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/limit/);
});

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
});

function post(url: string, headers: Record<string, string>, body = initialize): Promise<Response> {
  const type = { 'content-type': 'application/json' };
  const accept = { accept: 'application/json, text/event-stream' };
  return fetch(`${url}/mcp`, { method: 'POST', headers: { ...type, ...accept, ...headers }, body });
}

it('without a credential in a header nothing is answered', async () => {
  for (const headers of [{}, { authorization: 'Bearer none' }, { cookie: 'stepwell=1' }]) {
    const answer = await post(server.url, headers as Record<string, string>);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
  const inQuery = await fetch(`${server.url}/mcp?token=${readToken}`, { method: 'POST' });
  expect(inQuery.status).toBe(401);
  const authorization = `Bearer ${readToken}`;
  expect((await post(server.url, { authorization })).status).toBe(200);
  expect((await post(server.url, { authorization: server.basic })).status).toBe(200);
});

it('pages of other origins, large bodies and other methods are refused', async () => {
  const authorization = `Bearer ${readToken}`;
  const { host } = new URL(server.url);
  // A name that was led to this machine: its page is of the same origin, and still not ours.
  const page = await post(server.url, { authorization, origin: `http://${host}` });
  expect(page.status).toBe(403);
  const large = await post(server.url, { authorization }, 'x'.repeat(64 * 1024 + 1));
  expect(large.status).toBe(413);
  for (const known of [server.basic, server.bearer, authorization]) {
    for (const method of ['GET', 'DELETE']) {
      const other = await fetch(`${server.url}/mcp`, { method, headers: { authorization: known } });
      expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST']);
    }
  }
  const unknown = await fetch(`${server.url}/mcp`, { headers: { authorization: 'Bearer none' } });
  expect(unknown.status).toBe(401);
  expect((await post(server.url, { authorization }, '{')).status).toBe(400);
});

it('a server that is not asked to has no such path', async () => {
  const plain = await startServer();
  try {
    const answer = await post(plain.url, { authorization: plain.basic });
    expect(answer.status).toBe(404);
    const { paths } = (await (await fetch(`${plain.url}/openapi.json`)).json()) as {
      paths: object;
    };
    expect(Object.keys(paths)).not.toContain('/mcp');
  } finally {
    await plain.remove();
  }
});
