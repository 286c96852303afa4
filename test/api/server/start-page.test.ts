import { createHash } from 'node:crypto';
import { request } from 'undici';
import { version } from '../../../src/grammar/version.js';
import { startServer, type TestServer } from '../../support/server.js';

/** As browsers ask for a page, and for an icon. */
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
  it('shows a browser a page whose links all answer without credentials', async () => {
    const { statusCode, headers, body } = await ask('/', browser);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['www-authenticate']).toBeUndefined();
    const page = await body.text();
    expect(page).toContain(`Stepwell ${version}`);
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path);
    expect(links).toEqual(
      expect.arrayContaining(['/openapi.json', '/health/live', '/health/ready', '/metrics']),
    );
    for (const path of links) expect([path, (await ask(path, {})).statusCode]).toEqual([path, 200]);
  });

  it('lets the page do nothing but be shown with its own style', async () => {
    const { headers, body } = await ask('/', browser);
    const page = await body.text();
    expect(page).not.toMatch(/<script|<img|<link|style="|https?:\/\//);
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; ` +
        "form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('tells a program the same as JSON', async () => {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await ask('/', headers);
      expect([answer.statusCode, answer.headers['vary']]).toEqual([200, 'accept']);
      expect(await answer.body.json()).toEqual({
        name: 'stepwell',
        version,
        links: expect.objectContaining({ '/openapi.json': expect.any(String) }),
      });
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

it('answers the icon that browsers ask for without a password dialog', async () => {
  const { statusCode, headers } = await ask('/favicon.ico', image);
  expect([statusCode, headers['www-authenticate']]).toEqual([204, undefined]);
});

it('answers HEAD of both', async () => {
  expect((await ask('/', browser, 'HEAD')).statusCode).toBe(200);
  expect((await ask('/favicon.ico', image, 'HEAD')).statusCode).toBe(204);
});
