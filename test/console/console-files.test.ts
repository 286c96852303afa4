import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { request } from 'undici';
import { startServer, type TestServer } from '../support/server.js';

const page = '<!doctype html><title>the page</title>';
const reference = '<!doctype html><title>the reference</title>';
const script = 'export const script = 1;\n'.repeat(100);

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-console-'));
  await mkdir(join(folder, 'assets'));
  const files: Record<string, string | Buffer> = {
    'index.html': page,
    'index.html.br': brotliCompressSync(page),
    'docs.html': reference,
    'assets/main-abc.js': script,
    'assets/main-abc.js.br': brotliCompressSync(script),
    'assets/main-abc.js.gz': gzipSync(script),
    'assets/notes.txt': 'not of a type that a console has',
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
  }
  await writeFile(join(folder, '..', 'stepwell-secret.js'), 'secret');
  server = await startServer({ ports: { consoleFolder: folder } });
});

afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true });
  await rm(join(folder, '..', 'stepwell-secret.js'));
});

const ask = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  request(`${server.url}${path}`, { method, headers });

it('the console is the same page at each of its addresses, without credentials', async () => {
  for (const path of ['/console', '/console/', '/console/messages/msg_1?x=1', '/console/a/b.c']) {
    const { statusCode, headers, body } = await ask(path);
    expect([path, statusCode, headers['content-type']]).toEqual([
      path,
      200,
      'text/html; charset=utf-8',
    ]);
    expect(headers['cache-control']).toBe('no-cache');
    expect(await body.text()).toBe(page);
  }
});

it('the API reference is another page at /docs, and at no address below it', async () => {
  const { statusCode, headers, body } = await ask('/docs?search=retry');
  expect([statusCode, await body.text()]).toEqual([200, reference]);
  expect(String(headers['content-security-policy'])).toContain("default-src 'none'");
  const below = await ask('/docs/none');
  expect([below.statusCode, (await below.body.text()).includes('reference')]).toEqual([401, false]);
});

it('the console loads scripts only from its own origin, and cannot be framed', async () => {
  const { headers } = await ask('/console');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(policy).not.toMatch(/https?:/);
  expect(headers['x-content-type-options']).toBe('nosniff');
});

it('a file with a digest in its name is cached by browsers', async () => {
  const { headers, body } = await ask('/console/assets/main-abc.js');
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(await body.text()).toBe(script);
});

it.each([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['zstd', undefined],
])('a file is compressed for a browser that accepts %s', async (accepted, encoding) => {
  const { headers, body } = await ask('/console/assets/main-abc.js', {
    'accept-encoding': accepted,
  });
  expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'accept-encoding']);
  const bytes = Buffer.from(await body.arrayBuffer());
  const expected = { br: brotliCompressSync(script), gzip: gzipSync(script) };
  expect(bytes).toEqual(
    encoding === undefined ? Buffer.from(script) : expected[encoding as 'br' | 'gzip'],
  );
});

it('the console is not sent again to a browser that has it', async () => {
  const { headers } = await ask('/console');
  const again = await ask('/console', { 'if-none-match': String(headers['etag']) });
  expect([again.statusCode, await again.body.text()]).toEqual([304, '']);
});

it('the console answers HEAD without a body', async () => {
  const { statusCode, headers, body } = await ask('/console', {}, 'HEAD');
  expect([statusCode, headers['content-type'], await body.text()]).toEqual([
    200,
    'text/html; charset=utf-8',
    '',
  ]);
});

it.each([
  '/console/assets/none.js',
  '/console/assets/notes.txt',
  '/console/assets/main-abc.js.gz',
  '/console/assets/../../stepwell-secret.js',
  '/console/assets/..%2f..%2fstepwell-secret.js',
  '/console/assets/%2e%2e/%2e%2e/stepwell-secret.js',
])('the console has no other file: %s', async (path) => {
  const { body } = await ask(path);
  expect(await body.text()).not.toMatch(/secret$|not of a type/);
});

it('a build without a console says so', async () => {
  const without = await startServer({ ports: { consoleFolder: join(folder, 'nothing') } });
  const { statusCode, body } = await request(`${without.url}/console`);
  expect([statusCode, await body.json()]).toEqual([
    404,
    { error: 'this build of the server has no console', status: 404 },
  ]);
  await without.remove();
});
