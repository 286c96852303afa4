import { once } from 'node:events';
import { connect } from 'node:net';
import { systemClock } from '../../../src/engine/clock.js';
import { CredentialWatch } from '../../../src/server/inbound/credential-watch.js';
import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

interface Documented {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security: readonly unknown[] }>>>
  >;
}

interface Shown {
  readonly name: string;
  readonly role: string;
  readonly token: string;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

const roles = ['read', 'operate', 'admin'] as const;
type Role = (typeof roles)[number];

const refusedQueries: Readonly<Record<string, string>> = {
  '/admin/journal': '?from=x',
  '/v2/live': '?kinds=x',
  '/tail/{topic}': '?from=x',
};

let server: TestServer;
/** Added to the time of the server's clock. */
let ahead = 0;
const tokens: Partial<Record<Role, string>> = {};

const start = (dataDirectory?: string) =>
  startServer({
    environment: { STEPWELL_MCP: 'true' },
    ports: { clock: { ...systemClock, now: () => systemClock.now() + ahead } },
    ...(dataDirectory !== undefined && { dataDirectory }),
  });

const as = (token = '') => ({ authorization: `Bearer ${token}` });
const call = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
  callApi(server, method, path, { authorization: server.basic, ...headers }, JSON.stringify(body));
async function create(name: string, role: Role, fields: object = {}): Promise<string> {
  const { status, body } = await call('POST', '/admin/tokens', {}, { name, role, ...fields });
  expect([name, status]).toEqual([name, 201]);
  return (body as Shown).token;
}
const list = async () => (await call('GET', '/admin/tokens')).body as Shown[];
const statusAs = async (token: string, path = '/v2/queues') =>
  (await call('GET', path, as(token))).status;

beforeAll(async () => {
  server = await start();
  for (const role of roles) tokens[role] = await create(`${role}s`, role);
});

beforeEach(() => {
  ahead = 0;
});

afterAll(() => server.remove());

/** GET routes that change something: they need an operator. */
const changing = /^\/(?:consume|commit|produce|webhook)\b/;

/** Whether a role may call a route; other documented routes are refused with 403. */
function mayCall(role: Role, method: string, path: string): boolean {
  if (role === 'admin') return true;
  if (path.startsWith('/v2/keys')) return false;
  // The entries of a run are not redacted.
  if (role === 'read' && path === '/v2/workflows/runs/{workflowRunId}') return false;
  if (/^\/admin\/(?:tokens|credentials)/.test(path)) return false;
  // The rights of its tools are checked on each of their requests.
  if (path === '/mcp') return true;
  if (method === 'GET') return role === 'operate' || !changing.test(path);
  return role === 'operate' && !path.startsWith('/admin/');
}

describe('a role', () => {
  it.each(roles)('%s may call exactly its own routes', async (role) => {
    const { paths } = (await callApi(server, 'GET', '/openapi.json')).body as Documented;
    let count = 0;
    for (const [path, operations] of Object.entries(paths)) {
      for (const [word, { security }] of Object.entries(operations)) {
        const method = word.toUpperCase();
        if (security.length === 0) continue;
        // Other tests cover this route for administrators.
        if (role === 'admin' && path === '/v2/keys/rotate') continue;
        // The answer of these routes is not JSON or does not end; a refusal is JSON.
        const query = refusedQueries[path] ?? '';
        const target = `${path.replace(/\{\w+\}/g, 'none')}${query}`;
        const { status } = await call(method, target, as(tokens[role]));
        // A GET that changes something is validated before its caller is checked, so 400 is
        // possible.
        const isUnread = role === 'read' && changing.test(path) && status === 400;
        expect([role, method, path, status === 403 || isUnread]).toEqual([
          role,
          method,
          path,
          !mayCall(role, method, path),
        ]);
        expect(status).not.toBe(401);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(90);
  });

  it.each(roles)(
    '%s accepts neither a part of its token, nor a longer one, nor its name',
    async (role) => {
      const token = tokens[role] ?? '';
      for (const wrong of [`${token}x`, token.slice(0, -1), '', `${role}s`]) {
        expect(await statusAs(wrong)).toBe(401);
        expect(await statusAs(wrong, '/topics')).toBe(401);
      }
    },
  );

  it('of the configured tokens is for messages and workflows only', async () => {
    for (const token of [server.token, server.readToken]) {
      expect(await statusAs(token)).toBe(200);
      expect(await statusAs(token, '/topics')).toBe(401);
      expect(await statusAs(token, '/admin/topics')).toBe(401);
    }
    expect(await statusAs(server.token, '/v2/keys')).toBe(200);
  });
});

describe('a created token', () => {
  it('is listed without its secret and with the time of its last use', async () => {
    const token = await create('listed', 'read');
    const before = (await list()).find(({ name }) => name === 'listed');
    expect(before).toEqual({
      name: 'listed',
      role: 'read',
      createdAt: expect.any(Number),
      expiresAt: null,
      lastUsedAt: null,
    });
    const at = systemClock.now();
    expect(await statusAs(token)).toBe(200);
    const after = (await list()).find(({ name }) => name === 'listed');
    expect(after?.lastUsedAt).toBeGreaterThanOrEqual(at);
  });

  it('is refused once it is revoked, and otherwise survives a restart', async () => {
    const gone = await create('gone', 'operate');
    const kept = await create('kept', 'operate');
    expect(await statusAs(gone)).toBe(200);
    expect((await call('DELETE', '/admin/tokens/gone')).status).toBe(200);
    for (const path of ['/v2/queues', '/topics']) expect(await statusAs(gone, path)).toBe(401);
    expect((await call('DELETE', '/admin/tokens/gone')).status).toBe(404);
    await server.stop();
    server = await start(server.dataDirectory);
    expect(await statusAs(gone)).toBe(401);
    expect(await statusAs(kept)).toBe(200);
    // The name may be used again, and then only the new token is accepted.
    const again = await create('gone', 'read');
    expect(await statusAs(gone)).toBe(401);
    expect(await statusAs(again)).toBe(200);
  });

  it('is refused once it has expired, and then its name is free', async () => {
    const token = await create('brief', 'read', { expiresAt: systemClock.now() + 3_600_000 });
    expect(await statusAs(token)).toBe(200);
    ahead = 3_600_001;
    expect(await statusAs(token)).toBe(401);
    await server.stop();
    server = await start(server.dataDirectory);
    while ((await list()).some(({ name }) => name === 'brief')) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  it.each([
    [{ name: 'a b', role: 'read' }],
    [{ name: 'x'.repeat(65), role: 'read' }],
    [{ name: '..', role: 'read' }],
    [{ name: 'a', role: 'owner' }],
    [{ name: 'a' }],
    [{ name: 'a', role: 'read', expiresAt: 1 }],
    [{ name: 'a', role: 'read', expiresAt: 'tomorrow' }],
    [{ name: 'a', role: 'read', expiresAt: 9_000_000_000_000_000 }],
    [{ name: 'a', role: 'read', more: 1 }],
  ])('is not created from %j', async (body) => {
    expect((await call('POST', '/admin/tokens', {}, body)).status).toBe(400);
  });

  it('has a unique name', async () => {
    const body = { name: 'reads', role: 'admin' };
    expect((await call('POST', '/admin/tokens', {}, body)).status).toBe(409);
  });
});

describe('a stream whose credential is withdrawn', () => {
  const origin = () => ({ origin: server.url });

  /** Opens a stream; `ended` settles when the stream ends, for whatever reason. */
  async function streamed(path: string, headers: Record<string, string>) {
    const accept = { accept: 'text/event-stream' };
    const response = await fetch(`${server.url}${path}`, { headers: { ...headers, ...accept } });
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get('x-request-id')).toMatch(/./);
    const reading = { hasEnded: false, ended: Promise.resolve() };
    reading.ended = response.text().then(
      () => undefined,
      () => undefined,
    );
    reading.ended.then(() => {
      reading.hasEnded = true;
    });
    return reading;
  }

  async function signedIn(token: string): Promise<{ readonly cookie: string }> {
    const { status, headers } = await callApi(
      server,
      'POST',
      '/console/session',
      origin(),
      JSON.stringify({ token }),
    );
    expect(status).toBe(201);
    return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
  }

  const streams = (headers: Record<string, string>) =>
    ['/admin/journal', '/v2/live'].map((path) => streamed(path, headers));

  it('ends when its token is revoked', async () => {
    const token = await create('reader', 'operate');
    const all = await Promise.all([
      ...streams(as(token)),
      streamed('/consume/g/i/rides?timeout=60000', as(token)),
    ]);
    await call('DELETE', '/admin/tokens/reader');
    for (const { ended } of all) await ended;
  });

  it('ends even if its client has sent another request behind it', async () => {
    const { authorization } = as(await create('hasty', 'operate'));
    const get = (target: string) =>
      `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`;
    const socket = connect(server.port, '127.0.0.1');
    const [first] = await Promise.all([
      once(socket, 'data'),
      socket.write(get('/v2/live') + get('/v2/queues')),
    ]);
    expect(String(first)).toContain('text/event-stream');
    socket.resume().on('error', () => undefined);
    const closed = once(socket, 'close');
    await call('DELETE', '/admin/tokens/hasty');
    await closed;
    // The server must not treat this as a client that stalled with its last answer.
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^stepwell_stalled_clients_total 0$/m);
  });

  it('ends when its credential of the log interface is deleted', async () => {
    const body = { name: 'auditor', permissions: 'ALL', topic: '*' };
    const { password } = (await call('POST', '/admin/credentials', {}, body)).body as {
      password: string;
    };
    const basic = Buffer.from(`auditor:${password}`).toString('base64');
    const { ended } = await streamed('/admin/journal', { authorization: `Basic ${basic}` });
    await call('DELETE', '/admin/credentials/auditor');
    await ended;
  });

  it('ends when its session signs out, and those of other sessions continue', async () => {
    const token = tokens.operate ?? '';
    const [mine, other] = await Promise.all([signedIn(token), signedIn(token)]);
    const all = await Promise.all(streams(mine));
    const others = await Promise.all(streams(other));
    const signOut = { ...mine, ...origin() };
    expect((await callApi(server, 'DELETE', '/console/session', signOut)).status).toBe(204);
    for (const { ended } of all) await ended;
    expect(others.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
  });

  it('ends soon after its session or token has expired', async () => {
    const expiresAt = systemClock.now() + 3_600_000;
    const token = await create('hour', 'read', { expiresAt });
    const session = await signedIn(tokens.read ?? '');
    const all = await Promise.all([...streams(as(token)), ...streams(session)]);
    ahead = 13 * 3_600_000;
    server.application.nest.get(CredentialWatch).look();
    for (const { ended } of all) await ended;
  });
});
