import { request } from 'undici';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    environment: {
      STEPWELL_TOKEN: 'first-token,second-token',
      STEPWELL_READ_TOKEN: 'reading-token',
      STEPWELL_REST_USERNAME: 'someone',
      STEPWELL_REST_PASSWORD: 'pass:word',
    },
  });
});

afterAll(() => server.remove());

function ask(path: string, authorization?: string, method = 'GET') {
  const headers = authorization === undefined ? {} : { authorization };
  return request(`${server.url}${path}`, { method, headers } as Parameters<typeof request>[1]);
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

describe('the messages and workflows interface', () => {
  test.each([
    ['no credentials', undefined],
    ['an unknown token', 'Bearer third-token'],
    ['a token that only begins right', 'Bearer first-toke'],
    ['a token that goes on', 'Bearer first-token2'],
    ['an empty token', 'Bearer '],
    ['both tokens at once', 'Bearer first-token,second-token'],
    ['Basic credentials', basic('someone:pass:word')],
    ['a token without its scheme', 'first-token'],
  ])('answers 401 to %s', async (_what, authorization) => {
    const { statusCode, headers, body } = await ask('/v2/nowhere', authorization);
    expect(statusCode).toBe(401);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(await body.json()).toEqual({ error: expect.stringContaining('bearer token') });
  });

  test.each(['Bearer first-token', 'Bearer second-token', 'bearer first-token'])(
    'lets %s in',
    async (authorization) => {
      const { statusCode, body } = await ask('/v2/nowhere', authorization, 'POST');
      expect(statusCode).toBe(404);
      expect(await body.json()).toEqual({ error: '/v2/nowhere not found' });
    },
  );

  test.each(['token', 'qstash_token'])('accepts the token in the query as %s', async (name) => {
    expect((await ask(`/v2/nowhere?a=1&${name}=first-token`)).statusCode).toBe(404);
    expect((await ask(`/v2/nowhere?${name}=third-token`)).statusCode).toBe(401);
    expect((await ask(`/v2/nowhere?${name}=%ff`)).statusCode).toBe(401);
  });

  test('does not fall back to the query when the header is wrong', async () => {
    const { statusCode } = await ask('/v2/nowhere?token=first-token', 'Bearer third-token');
    expect(statusCode).toBe(401);
  });

  test('permits only reads with a read token', async () => {
    expect((await ask('/v2/nowhere', 'Bearer reading-token')).statusCode).toBe(404);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { statusCode, body } = await ask('/v2/nowhere', 'Bearer reading-token', method);
      expect(statusCode).toBe(403);
      expect(await body.json()).toEqual({ error: expect.stringContaining('only read') });
    }
  });
});

describe('the log interface', () => {
  test.each([
    ['no credentials', undefined],
    ['a wrong password', basic('someone:password')],
    ['a wrong user', basic('somebody:pass:word')],
    ['a bearer token', 'Bearer first-token'],
    ['what is no Base64', 'Basic !!!'],
  ])('answers 401 to %s', async (_what, authorization) => {
    const { statusCode, headers, body } = await ask('/nowhere', authorization);
    expect(statusCode).toBe(401);
    expect(headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect(await body.json()).toEqual({ error: expect.any(String), status: 401 });
  });

  test('reveals that a path is unknown only to authorized callers', async () => {
    const { statusCode, body } = await ask('/nowhere?x=1', basic('someone:pass:word'));
    expect(statusCode).toBe(404);
    expect(await body.json()).toEqual({ error: '/nowhere not found', status: 404 });
  });

  test('does not own paths that only look like its own', async () => {
    expect((await ask('/v2x', 'Bearer first-token')).statusCode).toBe(401);
    expect((await ask('/V2/keys', 'Bearer first-token')).statusCode).toBe(401);
  });
});

describe('a route without credentials', () => {
  test.each(['/health/live', '/health/ready'])('%s shows the state', async (path) => {
    const { statusCode, body } = await ask(path);
    expect(statusCode).toBe(200);
    expect(await body.json()).toEqual({ state: 'serving', reason: null });
  });

  test('answers 405 with the methods of a known path', async () => {
    const { statusCode, headers, body } = await ask(
      '/health/live?x=1',
      basic('someone:pass:word'),
      'DELETE',
    );
    expect(statusCode).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD');
    expect(await body.json()).toEqual({ error: 'DELETE is not allowed here', status: 405 });
  });

  test('answers 405, and not 401, to a caller without credentials', async () => {
    for (const path of ['/health/live', '/metrics', '/openapi.json']) {
      const { statusCode, headers } = await ask(path, undefined, 'DELETE');
      expect([path, statusCode, headers['allow']]).toEqual([path, 405, 'GET, HEAD']);
      const head = await ask(path, undefined, 'HEAD');
      expect([path, head.statusCode, await head.body.text()]).toEqual([path, 200, '']);
    }
  });

  test('ignores a slash at the end', async () => {
    expect((await ask('/health/live/')).statusCode).toBe(200);
  });
});
