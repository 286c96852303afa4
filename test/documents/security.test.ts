import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callApi } from '../support/clients/api-call.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  const { status } = await ask('POST', '/admin/topics', server.basic, '{"name":"rides"}');
  expect(status).toBe(201);
});
afterAll(() => server.remove());

function ask(method: string, path: string, authorization: string, body?: string) {
  return callApi(server, method, path, { authorization, 'svc-delay': '1h' }, body);
}

async function made<Field extends string>(
  path: string,
  given: object,
): Promise<Record<Field, string>> {
  const { status, body } = await ask('POST', path, server.basic, JSON.stringify(given));
  expect(status).toBe(201);
  return body as Record<Field, string>;
}

async function tokenOf(role: string): Promise<string> {
  const { token } = await made<'token'>('/admin/tokens', { name: `of-${role}`, role });
  return `Bearer ${token}`;
}

async function credentialOf(permissions: string, topic: string): Promise<string> {
  const name = `${permissions}-${topic === '*' ? 'all' : topic}`.toLowerCase();
  const { username, password } = await made<'username' | 'password'>('/admin/credentials', {
    name,
    topic,
    permissions,
  });
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Rows of the table, by how they begin, to what is sent as `Authorization`. */
const credentials: Readonly<Record<string, () => string | Promise<string>>> = {
  '`STEPWELL_TOKEN`': () => server.bearer,
  '`STEPWELL_READ_TOKEN`': () => `Bearer ${server.readToken}`,
  'a token with the role `read`': () => tokenOf('read'),
  'a token with the role `operate`': () => tokenOf('operate'),
  'a token with the role `admin`': () => tokenOf('admin'),
  '`STEPWELL_REST_USERNAME` and password': () => server.basic,
  'a credential with `PRODUCE`': () => credentialOf('PRODUCE', 'rides'),
  'a credential with `CONSUME`': () => credentialOf('CONSUME', 'rides'),
  'a credential with `ALL`': () => credentialOf('ALL', 'rides'),
  'a credential with `ALL` for `*`': () => credentialOf('ALL', '*'),
};

/** Columns of the table, in their order. */
const requests: readonly (readonly [method: string, path: string, body?: string])[] = [
  ['GET', '/v2/queues'],
  ['POST', '/v2/publish/https://example.com/hook', 'hello'],
  ['GET', '/v2/keys'],
  ['POST', '/produce/rides', '[{"value":"hello"}]'],
  ['POST', '/fetch', '{"topic":"rides","partition":0,"offset":0}'],
  ['GET', '/admin/overview'],
  ['POST', '/admin/topics', '{"name":""}'],
];

async function rowsOfPage(): Promise<(readonly [credential: string, cells: string[]])[]> {
  const page = join(import.meta.dirname, '../../docs/security.md');
  const text = await readFile(page, 'utf8');
  const [, table = ''] = text.split('## Rights of each credential');
  return [...table.matchAll(/^\| (.+?) *\|((?: +(?:yes|no) +\|)+)$/gm)].map(
    ([, credential = '', cells = '']) => [credential, cells.match(/yes|no/g) ?? []] as const,
  );
}

it('each credential may do what docs/security.md says, and nothing else', async () => {
  const rows = await rowsOfPage();
  expect(rows.map(([credential]) => credential)).toEqual(Object.keys(credentials));
  for (const [credential, cells] of rows) {
    const authorization = (await credentials[credential]?.()) ?? '';
    const found: string[] = [];
    for (const [method, path, body] of requests) {
      const { status } = await ask(method, path, authorization, body);
      found.push(status === 401 || status === 403 ? 'no' : 'yes');
    }
    expect([credential, ...found]).toEqual([credential, ...cells]);
  }
});
