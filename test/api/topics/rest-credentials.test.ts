import { Writable } from 'node:stream';
import { pino } from 'pino';
import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});

afterEach(() => server.remove());

interface Created {
  readonly username: string;
  readonly password: string;
}

const basicOf = ({ username, password }: Created) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function call(method: string, path: string, body?: unknown, authorization = server.basic) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return callApi(server, method, path, { authorization }, text);
}

async function create(name: string, permissions: string, topic: string): Promise<string> {
  const { status, body } = await call('POST', '/admin/credentials', { name, permissions, topic });
  expect(status).toBe(201);
  return basicOf(body as Created);
}

describe('a created credential', () => {
  it('is shown with its password once, and later without it', async () => {
    const credential = { name: 'cab', topic: 'rides*', permissions: 'PRODUCE' };
    const { status, body } = await call('POST', '/admin/credentials', credential);
    expect(status).toBe(201);
    expect(body).toEqual({
      ...credential,
      username: 'cab',
      password: expect.stringMatching(/^[\w-]{32}$/),
    });
    const { body: list } = await call('GET', '/admin/credentials');
    expect(list).toEqual([{ ...credential, username: 'cab', createdAt: expect.any(Number) }]);
  });

  it('works after a restart, and is refused after its deletion, across restarts', async () => {
    const kept = await create('kept', 'ALL', '*');
    const gone = await create('gone', 'ALL', '*');
    const { status, body } = await call('DELETE', '/admin/credentials/gone');
    expect([status, body]).toEqual([200, { result: 'Success', status: 200 }]);
    expect((await call('GET', '/topics', undefined, gone)).status).toBe(401);
    await server.stop();
    server = await startServer({ dataDirectory: server.dataDirectory });
    expect((await call('GET', '/topics', undefined, gone)).status).toBe(401);
    expect((await call('GET', '/topics', undefined, kept)).status).toBe(200);
  });

  it('gives a fetch that waits nothing of what comes after its deletion', async () => {
    const reader = await create('reader', 'CONSUME', 'rides');
    await call('POST', '/produce/rides', { value: 'before', partition: 0 });
    const position = { topic: 'rides', partition: 0, offset: 1, timeout: 60_000 };
    const waiting = call('POST', '/fetch', position, reader);
    await call('GET', '/topics', undefined, reader);
    await call('DELETE', '/admin/credentials/reader');
    await call('POST', '/produce/rides', { value: 'after', partition: 0 });
    expect(await waiting).toMatchObject({ status: 401, body: { error: expect.any(String) } });
  });

  it('administers only with all rights on every topic', async () => {
    const full = await create('full', 'ALL', '*');
    const credential = { name: 'more', topic: '*', permissions: 'CONSUME' };
    expect((await call('POST', '/admin/credentials', credential, full)).status).toBe(201);
    for (const [name, permissions, topic] of [
      ['prefix', 'ALL', 'a*'],
      ['reader', 'CONSUME', '*'],
      ['writer', 'PRODUCE', '*'],
    ] as const) {
      const authorization = await create(name, permissions, topic);
      for (const [method, path] of [
        ['POST', '/admin/credentials'],
        ['GET', '/admin/credentials'],
        ['DELETE', '/admin/credentials/full'],
      ] as const) {
        const { status, body } = await call(method, path, undefined, authorization);
        expect([method, status]).toEqual([method, 403]);
        expect(body).toEqual({ error: expect.stringContaining('administer'), status: 403 });
      }
    }
  });

  it('cannot take a name that is taken, the configured one included', async () => {
    await create('cab', 'ALL', '*');
    for (const name of ['cab', server.credentials.restUsername]) {
      const credential = { name, topic: '*', permissions: 'ALL' };
      const { status, body } = await call('POST', '/admin/credentials', credential);
      expect([status, body]).toEqual([409, { error: expect.any(String), status: 409 }]);
    }
  });

  it.each([
    ['POST', '/admin/credentials', { name: 'a' }, 400],
    ['POST', '/admin/credentials', { name: 'a:b', topic: '*', permissions: 'ALL' }, 400],
    ['DELETE', '/admin/credentials/nobody', undefined, 404],
    ['PUT', '/admin/credentials', {}, 405],
  ])('requested with %s %s %j is refused with %i', async (method, path, body, status) => {
    const answer = await call(method, path, body);
    expect(answer).toMatchObject({ status, body: { error: expect.any(String), status } });
  });

  it('leaves its password neither in the log nor on the disk', async () => {
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    await server.remove();
    server = await startServer({ ports: { log: pino({ level: 'trace' }, destination) } });
    const credential = { name: 'cab', topic: '*', permissions: 'ALL' };
    const { password } = (await call('POST', '/admin/credentials', credential)).body as Created;
    const { url, dataDirectory } = server;
    await fetch(`${url}/webhook?topic=t&user=cab&pass=${password}`, { method: 'POST', body: 'x' });
    await fetch(`${url}/nowhere?user=cab&pass=${password}`);
    await server.stop();
    expect(lines.join('')).not.toContain(password);
    const { readdir, readFile } = await import('node:fs/promises');
    const files = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map((file) => readFile(`${file.parentPath}/${file.name}`)),
    );
    expect(contents.length).toBeGreaterThan(0);
    expect(contents.some((content) => content.includes(password))).toBe(false);
    // Checks that the searched files contain events at all.
    expect(contents.some((content) => content.includes('RestCredentialCreated'))).toBe(true);
  });
});
