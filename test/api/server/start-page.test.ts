import { request } from 'undici';
import { version } from '../../../src/grammar/version.js';
import { startServer, type TestServer } from '../../support/server.js';

/** Headers that browsers send for a page, and for an icon. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const image = { accept: 'image/avif,image/webp,image/*,*/*;q=0.8' };

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

const ask = (path: string, headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
  request(`${server.url}${path}`, { method, headers });

describe('GET /', () => {
  it('leads a browser to the console', async () => {
    const { statusCode, headers } = await ask('/', browser);
    expect([statusCode, headers['location'], headers['vary']]).toEqual([302, '/console', 'accept']);
    expect(headers['www-authenticate']).toBeUndefined();
  });

  it('lists entry points for a program, and all answer without credentials', async () => {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await ask('/', headers);
      expect([answer.statusCode, answer.headers['vary']]).toEqual([200, 'accept']);
      expect(await answer.body.json()).toEqual({
        name: 'stepwell',
        version,
        links: expect.objectContaining({ '/openapi.json': expect.any(String) }),
      });
    }
    const { links } = (await (await ask('/', {})).body.json()) as { links: object };
    for (const path of Object.keys(links)) {
      expect([path, (await ask(path, {})).statusCode]).toEqual([path, 200]);
    }
  });

  it('names no secret', async () => {
    const texts = [await ask('/', browser), await ask('/', {})].map(({ body }) => body.text());
    const said = (await Promise.all(texts)).join('\n');
    const { tokens, restPassword, currentSigningKey } = server.credentials;
    for (const secret of [...tokens, restPassword, currentSigningKey]) {
      expect(said).not.toContain(secret);
    }
  });
});

it('the icon that browsers request is answered without a password dialog', async () => {
  const { statusCode, headers } = await ask('/favicon.ico', image);
  expect([statusCode, headers['www-authenticate']]).toEqual([204, undefined]);
});

it('HEAD is answered for the start page and the icon', async () => {
  expect((await ask('/', browser, 'HEAD')).statusCode).toBe(302);
  expect((await ask('/favicon.ico', image, 'HEAD')).statusCode).toBe(204);
});
