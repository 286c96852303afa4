import { systemClock } from '../../../src/engine/clock.js';
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
/** Added to the server's clock. */
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

/** GETs that change something: an operator's work. */
const changing = /^\/(?:consume|commit|produce|webhook)\b/;

/** What a role may call; the others of the documented routes are refused with 403. */
function mayCall(role: Role, method: string, path: string): boolean {
  if (role === 'admin') return true;
  if (path.startsWith('/v2/keys')) return false;
  if (/^\/admin\/(?:tokens|credentials)/.test(path)) return false;
  // What its tools may see is judged anew for each of their questions.
  if (path === '/mcp') return true;
  if (method === 'GET') return role === 'operate' || !changing.test(path);
  return role === 'operate' && !path.startsWith('/admin/');
}

describe('a role', () => {
  it.each(roles)('%s may call what it says, on every route', async (role) => {
    const { paths } = (await callApi(server, 'GET', '/openapi.json')).body as Documented;
    let count = 0;
    for (const [path, operations] of Object.entries(paths)) {
      for (const [word, { security }] of Object.entries(operations)) {
        const method = word.toUpperCase();
        if (security.length === 0) continue;
        // What an admin would do here is done in other tests.
        if (role === 'admin' && path === '/v2/keys/rotate') continue;
        // Its answer is no JSON, or goes on for ever; what it refuses is.
        const query = refusedQueries[path] ?? '';
        const target = `${path.replace(/\{\w+\}/g, 'none')}${query}`;
        const { status } = await call(method, target, as(tokens[role]));
        // A GET that changes something is looked at before its caller is: what it brings is wrong.
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
    '%s enters by its name neither with a part of the token nor with more',
    async (role) => {
      const token = tokens[role] ?? '';
      for (const wrong of [`${token}x`, token.slice(0, -1), '', `${role}s`]) {
        expect(await statusAs(wrong)).toBe(401);
        expect(await statusAs(wrong, '/topics')).toBe(401);
      }
    },
  );

  it('of the configured tokens is for messages and workflows only, as ever', async () => {
    for (const token of [server.token, server.readToken]) {
      expect(await statusAs(token)).toBe(200);
      expect(await statusAs(token, '/topics')).toBe(401);
      expect(await statusAs(token, '/admin/topics')).toBe(401);
    }
    expect(await statusAs(server.token, '/v2/keys')).toBe(200);
  });
});

describe('a created token', () => {
  it('is listed without itself, and with when it was used', async () => {
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

  it('is refused once it is revoked, and is there after a restart if it is not', async () => {
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
    // Its name may be used again, and lets only the new one in.
    const again = await create('gone', 'read');
    expect(await statusAs(gone)).toBe(401);
    expect(await statusAs(again)).toBe(200);
  });

  it('is refused when its time is over, and then its name is free', async () => {
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

  it('ends what it streams when it is revoked', async () => {
    const token = await create('reader', 'operate');
    const response = await fetch(`${server.url}/consume/g/i/rides?timeout=60000`, {
      headers: { ...as(token), accept: 'text/event-stream' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toMatch(/./);
    const ended = response.text().then(
      () => 'ended',
      () => 'ended',
    );
    await call('DELETE', '/admin/tokens/reader');
    expect(await ended).toBe('ended');
  });

  it.each([
    [{ name: 'a b', role: 'read' }],
    [{ name: 'x'.repeat(65), role: 'read' }],
    [{ name: '..', role: 'read' }],
    [{ name: 'a', role: 'owner' }],
    [{ name: 'a' }],
    [{ name: 'a', role: 'read', expiresAt: 1 }],
    [{ name: 'a', role: 'read', expiresAt: 'tomorrow' }],
    [{ name: 'a', role: 'read', more: 1 }],
  ])('is not made of %j', async (body) => {
    expect((await call('POST', '/admin/tokens', {}, body)).status).toBe(400);
  });

  it('has a name of its own', async () => {
    const body = { name: 'reads', role: 'admin' };
    expect((await call('POST', '/admin/tokens', {}, body)).status).toBe(409);
  });
});
