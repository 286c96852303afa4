import { systemClock } from '../../src/engine/clock.js';
import { callApi } from '../support/clients/api-call.js';
import { startServer, type TestServer } from '../support/server.js';

interface Shown {
  readonly session: { readonly principal: string; readonly role: string } | null;
  readonly needsNothing: boolean;
  readonly token: string | null;
}

let server: TestServer;
/** Added to the time of the servers' clocks. */
let ahead = 0;

const clock = {
  ...systemClock,
  now: () => systemClock.now() + ahead,
  monotonic: () => systemClock.monotonic() + ahead,
};

beforeAll(async () => {
  server = await startServer({ ports: { clock } });
});

afterAll(() => server.remove());

/** Sends a request like a page of the server: without other credentials than its cookie. */
const ask = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
  at: TestServer = server,
) =>
  callApi(
    at,
    method,
    path,
    { authorization: '', origin: at.url, ...headers },
    body === undefined ? undefined : JSON.stringify(body),
  );

const session = '/console/session';

async function signIn(
  body: unknown,
  at: TestServer = server,
  headers: Record<string, string> = {},
) {
  const answer = await askBare('POST', session, headers, body, at);
  const [set = '', browserSet = ''] = answer.headers.getSetCookie();
  const [cookie = '', browser = ''] = [set, browserSet].map((each) => each.split(';')[0]);
  return { status: answer.status, set, browserSet, cookie, browser, said: answer.body as Shown };
}

/** Sends no header `Authorization`, which would take precedence over a cookie. */
async function askBare(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
  at: TestServer = server,
) {
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: { origin: at.url, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : (JSON.parse(text) as unknown),
  };
}

const asToken = async (token: string) => (await signIn({ token })).cookie;

describe('signing in', () => {
  it('accepts a token, and the session has its role in both interfaces', async () => {
    const { status, set, cookie, said } = await signIn({ token: server.token });
    expect(status).toBe(201);
    expect(set).toMatch(
      /^stepwell_[0-9a-f]{8}=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect(set).not.toContain(server.token);
    expect(said.session).toMatchObject({ principal: 'env:1', role: 'admin' });
    for (const path of ['/v2/queues', '/v2/keys', '/topics', '/admin/topics', '/admin/tokens']) {
      expect([path, (await askBare('GET', path, { cookie })).status]).toEqual([path, 200]);
    }
  });

  it('accepts the username and the password of the log interface', async () => {
    const { restUsername: username, restPassword: password } = server.credentials;
    const { cookie, said } = await signIn({ username, password });
    expect(said.session).toMatchObject({ principal: `rest:${username}`, role: 'admin' });
    expect((await askBare('GET', '/v2/queues', { cookie })).status).toBe(200);
    expect((await askBare('GET', '/admin/groups', { cookie })).status).toBe(200);
  });

  it('with a read-only token permits only reads', async () => {
    const { cookie, said } = await signIn({ token: server.readToken });
    expect(said.session?.role).toBe('read');
    expect((await askBare('GET', '/admin/topics', { cookie })).status).toBe(200);
    expect((await askBare('GET', '/v2/keys', { cookie })).status).toBe(403);
    const publish = await askBare('POST', '/v2/publish/http://127.0.0.1:1/', { cookie });
    expect(publish.status).toBe(403);
    const create = await askBare('POST', '/admin/topics', { cookie }, { name: 'no' });
    expect(create.status).toBe(403);
  });

  it.each([
    ['a wrong token', { token: 'wrong' }, 401],
    ['a wrong password', { username: 'stepwell', password: 'wrong' }, 401],
    ['nothing, where something is asked for', {}, 401],
    ['a credential of another form', { token: 7 }, 400],
    ['both at once', { token: 'a', username: 'b', password: 'c' }, 400],
  ])('is refused for %s', async (_what, body, status) => {
    ahead += 100_000;
    const refused = await signIn(body);
    expect([refused.status, refused.set]).toEqual([status, '']);
    await asToken(server.token);
  });

  it('is refused for a credential of some topics, with the reason', async () => {
    const limited = { name: 'limited', topic: 'rides', permissions: 'CONSUME' };
    const made = await callApi(
      server,
      'POST',
      '/admin/credentials',
      { authorization: server.basic },
      JSON.stringify(limited),
    );
    const { username, password } = made.body as { username: string; password: string };
    const { status, said } = await signIn({ username, password });
    expect([status, said]).toEqual([
      403,
      { error: expect.stringContaining('limited to topics'), status: 403 },
    ]);
  });
});

describe('a session', () => {
  it('can be read', async () => {
    const cookie = await asToken(server.readToken);
    const { body } = await askBare('GET', session, { cookie });
    expect(body).toMatchObject({
      session: { principal: 'env-read:1', role: 'read', expiresAt: expect.any(Number) },
      needsNothing: false,
      token: null,
    });
    expect((await askBare('GET', session)).body).toMatchObject({ session: null });
  });

  it('causes events under the name of its credential', async () => {
    const cookie = await asToken(server.token);
    await askBare('POST', '/v2/queues', { cookie }, { queueName: 'console', parallelism: 2 });
    const { body } = await askBare('GET', '/admin/journal?by=env:1', { cookie });
    expect(JSON.stringify(body)).toContain('env:1');
  });

  it('permits no changes by a page of another origin, or without an origin', async () => {
    const cookie = await asToken(server.token);
    const queue = { queueName: 'foreign', parallelism: 1 };
    const port = String(server.port === 80 ? 81 : 80);
    for (const origin of [`http://127.0.0.1:${port}`, 'http://evil.example', 'null', 'x']) {
      const { status } = await askBare('POST', '/v2/queues', { cookie, origin }, queue);
      expect([origin, status]).toEqual([origin, 403]);
      expect((await askBare('POST', session, { origin }, { token: server.token })).status).toBe(
        403,
      );
      expect((await askBare('DELETE', session, { cookie, origin })).status).toBe(403);
    }
    const bare = await fetch(`${server.url}/v2/queues`, {
      method: 'POST',
      headers: { cookie },
      body: JSON.stringify(queue),
    });
    expect(bare.status).toBe(403);
    expect((await askBare('GET', '/v2/queues/foreign', { cookie })).status).toBe(404);
  });

  it('permits only GET to a page of another origin, on any route', async () => {
    const cookie = await asToken(server.token);
    const { body } = await askBare('GET', '/openapi.json');
    const { paths } = body as { readonly paths: Readonly<Record<string, object>> };
    const asked: string[] = [];
    const done: string[] = [];
    for (const [path, operations] of Object.entries(paths)) {
      // A call of a webhook needs no credential but its name.
      if (path.startsWith('/v2/workflows/hooks/') || path === '/webhook') continue;
      for (const word of Object.keys(operations)) {
        const method = word.toUpperCase();
        if (method === 'GET' || method === 'HEAD') continue;
        const target = path.replace(/\{\w+\}/g, 'none');
        const headers = { cookie, origin: 'http://evil.example' };
        const { status } = await askBare(method, target, headers, {});
        asked.push(`${method} ${path}`);
        if (status !== 403) done.push(`${method} ${path}: ${status}`);
      }
    }
    expect(asked).toContain('POST /admin/backup');
    expect(done).toEqual([]);
  });

  it('permits no changes by GET, which an image of another page can send', async () => {
    const cookie = await asToken(server.token);
    const send = (headers: Record<string, string>) =>
      fetch(`${server.url}/produce/by-get/hello`, { headers });
    expect((await send({ cookie })).status).toBe(403);
    expect((await send({ authorization: server.basic })).status).toBe(200);
  });

  it('is ignored if there is a header with credentials', async () => {
    const cookie = await asToken(server.token);
    const authorization = 'Bearer wrong';
    expect((await ask('GET', '/v2/queues', { cookie, authorization })).status).toBe(401);
    expect((await ask('GET', '/topics', { cookie, authorization })).status).toBe(401);
  });

  it('ends when its client signs out', async () => {
    const cookie = await asToken(server.token);
    const { status, headers } = await askBare('DELETE', session, { cookie });
    expect(status).toBe(204);
    expect(headers.get('set-cookie')).toMatch(/^stepwell_\w+=; .*Max-Age=0$/);
    expect((await askBare('GET', '/v2/queues', { cookie })).status).toBe(401);
  });

  it('ends after twelve hours', async () => {
    const cookie = await asToken(server.token);
    ahead += 12 * 3_600_000 - 60_000;
    expect((await askBare('GET', '/v2/queues', { cookie })).status).toBe(200);
    ahead += 60_000;
    expect((await askBare('GET', '/v2/queues', { cookie })).status).toBe(401);
  });

  it('ends with its token', async () => {
    const admin = { authorization: server.basic };
    const fields = JSON.stringify({ name: 'browser', role: 'operate' });
    const made = await callApi(server, 'POST', '/admin/tokens', admin, fields);
    const cookie = await asToken((made.body as { token: string }).token);
    expect((await askBare('GET', '/v2/queues', { cookie })).status).toBe(200);
    await callApi(server, 'DELETE', '/admin/tokens/browser', admin);
    expect((await askBare('GET', '/v2/queues', { cookie })).status).toBe(401);
  });

  it('cannot be forged by changing or cutting a cookie', async () => {
    const cookie = await asToken(server.readToken);
    const [name = '', value = ''] = cookie.split('=');
    const [, expiresAt = '', id = '', mac = ''] = value.split('.');
    const others = [
      value.slice(0, -1),
      `rest.${expiresAt}.${id}.${mac}`,
      value.replace(expiresAt, String(Number(expiresAt) + 1)),
      'rest',
      '',
    ];
    for (const other of others) {
      const { status } = await askBare('GET', '/v2/queues', { cookie: `${name}=${other}` });
      expect([other, status]).toEqual([other, 401]);
    }
    const among = { cookie: `a=b; ${cookie}; stepwell_00000000=x` };
    expect((await askBare('GET', '/v2/queues', among)).status).toBe(200);
  });

  it('survives a restart, but not a change of the credentials', async () => {
    const one = await startServer({ ports: { clock } });
    const { cookie } = await signIn({ token: one.token }, one);
    await one.stop();
    const { dataDirectory } = one;
    const two = await startServer({ dataDirectory, ports: { clock } });
    expect((await askBare('GET', '/v2/queues', { cookie }, undefined, two)).status).toBe(200);
    await two.stop();
    const environment = { STEPWELL_REST_PASSWORD: 'another-password-than-before' };
    const three = await startServer({ dataDirectory, environment, ports: { clock } });
    expect((await askBare('GET', '/v2/queues', { cookie }, undefined, three)).status).toBe(401);
    await three.remove();
  });
});

it('a page without a session is refused without a password dialog of the browser', async () => {
  const page = { 'x-requested-with': 'stepwell-console' };
  for (const path of ['/v2/queues', '/topics', '/admin/topics']) {
    const { status, headers } = await askBare('GET', path, page);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Session realm="stepwell"']);
  }
});

it('does not slow a browser down that has signed in, for who guesses at its address', async () => {
  const guessed = await startServer({ ports: { clock } });
  const { browser, browserSet } = await signIn({ token: guessed.token }, guessed);
  expect(browserSet).toMatch(
    /^stepwell_[0-9a-f]{8}=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/,
  );
  // It stands for no credential.
  expect((await askBare('GET', '/v2/queues', { cookie: browser }, undefined, guessed)).status).toBe(
    401,
  );
  const guess = (headers = {}) => signIn({ token: 'a guess' }, guessed, headers);
  for (let tries = 0; tries < 6; tries += 1) await guess();
  const right = (cookie: string) => signIn({ token: guessed.token }, guessed, { cookie });
  expect((await right('')).status).toBe(429);
  for (const forged of [`${browser}x`, browser.replace('=', '=x'), browser.split('.')[0] ?? '']) {
    expect((await right(forged)).status).toBe(429);
  }
  const again = await right(browser);
  expect([again.status, again.browser]).toEqual([201, browser]);
  // It waits for what it has mistyped itself.
  for (let tries = 0; tries < 5; tries += 1) {
    expect((await guess({ cookie: browser })).status).toBe(401);
  }
  expect((await right(browser)).status).toBe(429);
  await guessed.remove();
});

it('slows an address down that guesses, and counts', async () => {
  const guessed = await startServer({ ports: { clock } });
  const guess = () => signIn({ token: 'a guess' }, guessed);
  for (let tries = 0; tries < 5; tries += 1) expect((await guess()).status).toBe(401);
  const slowed = await askBare('POST', session, {}, { token: guessed.token }, guessed);
  expect([slowed.status, slowed.headers.get('retry-after')]).toEqual([429, '1']);
  ahead += 1000;
  expect((await guess()).status).toBe(401);
  ahead += 1000;
  expect((await guess()).status).toBe(429);
  ahead += 60_000;
  expect((await signIn({ token: guessed.token }, guessed)).status).toBe(201);
  expect((await guess()).status).toBe(401);
  const metrics = await (await fetch(`${guessed.url}/metrics`)).text();
  for (const [outcome, count] of Object.entries({ accepted: 1, refused: 7, slowed: 2 })) {
    expect(metrics).toContain(`stepwell_console_logins_total{outcome="${outcome}"} ${count}`);
  }
  await guessed.remove();
});

describe('under dev', () => {
  let dev: TestServer;

  beforeAll(async () => {
    dev = await startServer({ mode: 'dev', ports: { clock } });
  });

  afterAll(() => dev.remove());

  it('a page on this machine signs in without credentials and gets the token', async () => {
    const { status, cookie, said } = await signIn({}, dev);
    expect([status, said.needsNothing, said.token]).toEqual([201, true, dev.token]);
    expect((await askBare('GET', '/v2/queues', { cookie }, undefined, dev)).status).toBe(200);
  });

  const unknown = { needsNothing: false, token: null };
  const refused = { error: expect.stringContaining('public') };
  test.each([
    ['of the network asks for a credential', 'laptop.local', [200, unknown, 401]],
    ['of the public DNS gets nothing', 'evil.example', [403, refused, 403]],
  ] as const)('a page under a name %s', async (_what, name, answers) => {
    const { request } = await import('undici');
    const host = `${name}:${dev.port}`;
    const headers = { host, origin: `http://${host}` };
    const shown = await request(`${dev.url}${session}`, { headers });
    const said = await shown.body.json();
    const opened = await request(`${dev.url}${session}`, { method: 'POST', headers, body: '{}' });
    expect([shown.statusCode, said, opened.statusCode]).toEqual([
      answers[0],
      expect.objectContaining(answers[1]),
      answers[2],
    ]);
  });
});
