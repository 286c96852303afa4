import { request } from 'undici';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

afterEach(() => server.remove());

const start = async (mode: 'dev' | 'start', environment: Record<string, string> = {}) => {
  server = await startServer({ mode, environment: { STEPWELL_TOKEN: 'known', ...environment } });
};

/** Publishes as a page can without a preflight: the credential is in the URL, the body is text. */
async function publishFrom(headers: Record<string, string>): Promise<number> {
  const { statusCode, body } = await request(`${server.url}/v2/batch?token=known`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', ...headers },
    body: JSON.stringify([{ destination: `${server.url}/sink`, headers: { 'Svc-Delay': '1h' } }]),
  });
  if (statusCode === 403) {
    expect(await body.json()).toEqual({ error: expect.stringContaining('development server') });
  } else await body.dump();
  return statusCode;
}

async function messages(): Promise<number> {
  const headers = { authorization: 'Bearer known' };
  const { body } = await request(`${server.url}/v2/messages`, { headers });
  return ((await body.json()) as { messages: unknown[] }).messages.length;
}

describe('a development server', () => {
  test.each(['http://evil.example.com', 'https://127.0.0.1.example.com', 'null', '', 'no origin'])(
    'refuses requests of a page of the origin "%s"',
    async (origin) => {
      await start('dev');
      expect(await publishFrom({ origin })).toBe(403);
      expect(await messages()).toBe(0);
    },
  );

  test.each(['http://localhost:3000', 'https://127.0.0.1:3000', 'http://[::1]:3000'])(
    'answers pages of this machine: %s',
    async (origin) => {
      await start('dev');
      expect(await publishFrom({ origin })).toBe(200);
    },
  );

  test.each([
    'evil.example.com',
    'evil.example.com:8080',
    'localhost.example.com',
    '127.0.0.1.example.com',
    'localhost.',
    'stepwell',
    'host.docker.internal:8080',
    'jobs.test',
    'jobs.localhost',
    'laptop.local',
    '192.168.1.2:8080',
    '[::1]:8080',
  ])('answers only to names of this machine and its network: %s', async (host) => {
    await start('dev');
    const isForeign = host.includes('example.com');
    expect(await publishFrom({ host })).toBe(isForeign ? 403 : 200);
    // The origin of the server under this name, by which the browser found it.
    expect(await publishFrom({ host, origin: `http://${host}` })).toBe(isForeign ? 403 : 200);
  });

  it('refuses foreign names everywhere', async () => {
    await start('dev');
    for (const path of ['/', '/health/live', '/console/session', '/v2/nowhere', '/topics']) {
      const headers = { host: 'evil.example.com', authorization: 'Bearer known' };
      const { statusCode, body } = await request(`${server.url}${path}`, { headers });
      await body.dump();
      expect([path, statusCode]).toEqual([path, 403]);
    }
  });

  it('changes nothing if a foreign page links to a URL with its credentials', async () => {
    await start('dev');
    const { restUsername, restPassword } = server.credentials;
    const pair = `user=${restUsername}&pass=${restPassword}`;
    for (const [site, status] of [
      ['cross-site', 403],
      ['none', 200],
    ] as const) {
      const headers = { 'sec-fetch-site': site };
      const { statusCode, body } = await request(`${server.url}/webhook?topic=hooks&${pair}`, {
        headers,
      });
      await body.dump();
      expect([site, statusCode]).toEqual([site, status]);
    }
  });

  it('answers pages and names that its settings list', async () => {
    await start('dev', {
      STEPWELL_CORS_ORIGINS: 'https://app.example.com',
      STEPWELL_PUBLIC_URL: 'https://jobs.example.com/base',
    });
    expect(await publishFrom({ origin: 'https://app.example.com' })).toBe(200);
    expect(await publishFrom({ origin: 'http://localhost:3000' })).toBe(403);
    expect(await publishFrom({ host: 'Jobs.example.com' })).toBe(200);
    const host = 'jobs.example.com';
    expect(await publishFrom({ host, origin: 'https://jobs.example.com' })).toBe(200);
    expect(await publishFrom({ host, origin: 'https://other.example.com' })).toBe(403);
  });
});

describe('a server with credentials of its own', () => {
  it('checks only the credentials, wherever a request comes from', async () => {
    await start('start');
    expect(await publishFrom({ origin: 'http://evil.example.com' })).toBe(200);
    expect(await publishFrom({ host: 'jobs.example.com' })).toBe(200);
  });
});

describe('a password that a browser adds by itself', () => {
  /** The status, and the offset of the produced record. */
  async function produce(method: 'GET' | 'POST', headers: Record<string, string>) {
    const path = method === 'GET' ? '/produce/rides/hello?key=k' : '/produce/rides';
    const { statusCode, body } = await request(server.url + path, {
      method,
      headers: { authorization: server.basic, ...headers },
      ...(method === 'POST' && { body: '{"value":"hello","key":"k"}' }),
    });
    const [said] = [await body.json()].flat() as { offset?: number }[];
    return [statusCode, said?.offset];
  }

  it('permits no changes by pages of other origins', async () => {
    await start('start');
    const origin = 'https://evil.example.com';
    expect(await produce('POST', { origin })).toEqual([403, undefined]);
    expect(await produce('POST', { origin: 'null' })).toEqual([403, undefined]);
    for (const site of ['cross-site', 'same-site']) {
      expect(await produce('GET', { 'sec-fetch-site': site })).toEqual([403, undefined]);
    }
    expect(await produce('GET', { origin })).toEqual([403, undefined]);
    const headers = { authorization: server.basic, origin };
    for (const [method, path] of [
      ['POST', '/topics'],
      ['DELETE', '/admin/topics/rides'],
      ['POST', '/fetch'],
      ['GET', '/consume/readers/one/rides'],
    ] as const) {
      const { statusCode, body } = await request(`${server.url}${path}`, { method, headers });
      await body.dump();
      expect([path, statusCode]).toEqual([path, 403]);
    }
    expect(await produce('POST', {})).toEqual([200, 0]);
  });

  it('permits reads by any page, as browsers do not show it the answer', async () => {
    await start('start');
    const headers = { authorization: server.basic, 'sec-fetch-site': 'cross-site' };
    const { statusCode, body } = await request(`${server.url}/topics`, { headers });
    await body.dump();
    expect(statusCode).toBe(200);
  });

  it('permits changes by own and listed pages, and by a person who opens a URL', async () => {
    await start('start', {
      STEPWELL_CORS_ORIGINS: 'https://app.example.com',
      STEPWELL_PUBLIC_URL: 'https://jobs.example.com',
    });
    const origins = [server.url, 'https://app.example.com', 'https://jobs.example.com'];
    for (const [offset, origin] of origins.entries()) {
      expect(await produce('POST', { origin })).toEqual([200, offset]);
    }
    expect(await produce('GET', { 'sec-fetch-site': 'none' })).toEqual([200, 3]);
    expect(await produce('GET', { 'sec-fetch-site': 'same-origin' })).toEqual([200, 4]);
  });
});
