import { request } from 'undici';
import type { ServerMode } from '../../../src/server/configuration/config.js';
import { startServer, type TestServer } from '../../support/server.js';

const app = 'https://app.example.com';
let server: TestServer;

afterEach(() => server.remove());

async function start(origins: string | null, mode: ServerMode = 'start'): Promise<void> {
  const environment = origins === null ? {} : { STEPWELL_CORS_ORIGINS: origins };
  server = await startServer({ environment, mode });
}

interface RequestParts {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** The status of an answer, and its headers about origins. */
async function ask(path: string, { method = 'GET', headers = {}, body }: RequestParts = {}) {
  const answer = await request(`${server.url}${path}`, {
    method,
    headers,
    body: body ?? null,
  } as Parameters<typeof request>[1]);
  await answer.body.dump();
  const { statusCode: status } = answer;
  const said = Object.entries(answer.headers).filter(([name]) => /^access-|^vary$/.test(name));
  return { status, said: Object.fromEntries(said), headers: answer.headers };
}

const preflightOf = (headers: Record<string, string>) => ({
  method: 'OPTIONS',
  headers: { 'access-control-request-method': 'POST', ...headers },
});

const exposed = {
  'access-control-allow-origin': app,
  'access-control-expose-headers': expect.stringContaining('Stepwell-Durability'),
  vary: 'Origin',
};

/** An answer that is not shared may be shared with another origin: caches must know that. */
const unshared = { vary: 'Origin' };

test('a preflight from a listed origin is answered without credentials', async () => {
  await start(`http://other.test, ${app}`);
  const requested = 'authorization,content-type,upstash-retries,svc-delay,stream-encoding,x-mine';
  const preflight = preflightOf({ origin: app, 'access-control-request-headers': requested });
  for (const path of ['/v2/publish/https://example.com/', '/produce/rides', '/nowhere']) {
    expect(await ask(path, preflight)).toMatchObject({
      status: 204,
      said: {
        ...exposed,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': requested,
        'access-control-max-age': '7200',
      },
    });
  }
});

test('every answer to a listed origin may be read by that origin', async () => {
  await start(app);
  const bearer = { origin: app, authorization: server.bearer };
  const basic = { origin: app, authorization: server.basic };
  const publish = { method: 'POST', headers: bearer, body: 'a' };
  const answers = [
    [200, await ask('/v2/publish/http://127.0.0.1:9000/', publish)],
    [404, await ask('/v2/publish/nowhere', publish)],
    [200, await ask('/v2/keys', { headers: bearer })],
    [401, await ask('/v2/keys', { headers: { origin: app } })],
    [401, await ask('/v2/batch', { ...publish, headers: { origin: app } })],
    [404, await ask('/nowhere', { headers: basic })],
    [405, await ask('/v2/batch', { headers: bearer })],
    [200, await ask('/produce/rides/hello', { headers: basic })],
    [400, await ask('/%zz', { headers: basic })],
    [200, await ask('/health/live', { headers: { origin: app } })],
  ] as const;
  for (const [status, answer] of answers) expect(answer).toMatchObject({ status, said: exposed });
});

test('an answer says all that it varies by', async () => {
  await start(app);
  for (const path of ['/', '/openapi.json', '/docs', '/console']) {
    const { said } = await ask(path, { headers: { origin: app } });
    expect([path, said['access-control-allow-origin']]).toEqual([path, app]);
    expect(said['vary']).toMatch(/^Origin, accept/);
  }
});

test('a stream to a listed origin may be read by that origin', async () => {
  await start(app);
  const headers = { origin: app, authorization: server.basic };
  await ask('/produce/rides/hello', { headers });
  const path = `${server.url}/consume/screen/tab-1/rides`;
  const accept = 'text/event-stream';
  const answer = await request(path, { headers: { ...headers, accept } });
  expect(answer.headers).toMatchObject(exposed);
  answer.body.on('error', () => undefined).destroy();
});

test('an origin that is not listed gets no CORS headers', async () => {
  await start(app);
  for (const origin of [
    'https://evil.test',
    'http://app.example.com',
    `${app}.evil.test`,
    'null',
  ]) {
    const preflight = await ask('/v2/batch', preflightOf({ origin }));
    expect([preflight.status, preflight.said]).toEqual([401, unshared]);
    const headers = { origin, authorization: server.bearer };
    const { status, said } = await ask('/v2/keys', { headers });
    expect([status, said]).toEqual([200, unshared]);
  }
});

test('without listed origins or an Origin header, answers have no CORS headers', async () => {
  await start(null);
  const preflight = await ask('/v2/batch', preflightOf({ origin: app }));
  expect([preflight.status, preflight.said]).toEqual([401, {}]);
  const authorized = preflightOf({ origin: 'http://localhost:3000', authorization: server.bearer });
  const refused = await ask('/v2/batch', authorized);
  expect([refused.status, refused.said]).toEqual([405, {}]);
  expect(refused.headers['allow']).toBe('POST');
  await server.remove();
  await start(app);
  const { status, said } = await ask('/v2/keys', { headers: { authorization: server.bearer } });
  expect([status, said]).toEqual([200, unshared]);
});

test('OPTIONS that is not a preflight is an ordinary request', async () => {
  await start(app);
  const headers = { origin: app, authorization: server.bearer };
  expect(await ask('/v2/batch', { method: 'OPTIONS', headers })).toMatchObject({
    status: 405,
    said: exposed,
  });
});

test('dev lists the origins of this machine, unless others are named', async () => {
  await start(null, 'dev');
  for (const origin of ['http://localhost:5173', 'http://127.0.0.1:3000', 'https://[::1]']) {
    const { status, said } = await ask('/v2/batch', preflightOf({ origin }));
    expect([status, said['access-control-allow-origin']]).toEqual([204, origin]);
  }
  for (const origin of ['http://localhost.evil.test', 'http://evil.test', 'null', 'x']) {
    const { status, said } = await ask('/v2/batch', preflightOf({ origin }));
    expect([status, said]).toEqual([403, unshared]);
  }
  await server.remove();
  await start(app, 'dev');
  const local = preflightOf({ origin: 'http://localhost:5173' });
  const { status, said } = await ask('/v2/batch', local);
  expect([status, said]).toEqual([403, unshared]);
});

test('a preflight is checked like every other request', async () => {
  await start(app);
  const many = Array.from({ length: 300 }, (_, index): [string, string] => [`x-${index}`, '1']);
  const preflight = preflightOf({ origin: app, ...Object.fromEntries(many) });
  expect(await ask('/v2/batch', preflight)).toMatchObject({ status: 431, said: exposed });
});
