import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';
import { type Openapi, openapi } from './openapi-grammar.js';

let server: TestServer;
let document: Openapi;

beforeAll(async () => {
  server = await startServer();
  document = openapi.parse(await (await fetch(`${server.url}/openapi.json`)).json());
});

afterAll(() => server.remove());

/** Values for the parameters of paths. */
const names: Readonly<Record<string, string>> = { name: 'mails', topic: 'rides', timestamp: '0' };

const jsonType = 'application/json';

/** All example bodies of the document, except those of GET, as no client here sends one. */
function examples() {
  const all = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody, responses }]) => {
      const example = requestBody?.content[jsonType]?.example;
      const statuses = Object.keys(responses).filter((status) => status.startsWith('2'));
      return example === undefined || method === 'get' ? [] : [{ method, path, example, statuses }];
    }),
  );
  // The topic exists before it is read.
  const isFirst = ({ path }: { path: string }) => (path === '/admin/topics' ? 0 : 1);
  return all.sort((one, other) => isFirst(one) - isFirst(other));
}

it('every example of the document is answered as the document says', async () => {
  const sent: string[] = [];
  for (const { method, path, example, statuses } of examples()) {
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? name);
    const authorization = path.startsWith('/v2') ? server.bearer : server.basic;
    const body = JSON.stringify(example);
    const answer = await callApi(server, method.toUpperCase(), target, { authorization }, body);
    expect([method, target, answer.body, statuses]).toEqual([
      method,
      target,
      answer.body,
      expect.arrayContaining([String(answer.status)]),
    ]);
    sent.push(path);
  }
  expect(sent.length).toBeGreaterThan(12);
});

it('refusals for a missing credential or name are those of the document', async () => {
  const authorization = { v2: `Bearer ${server.readToken}`, wrong: 'Bearer wrong' };
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { responses, security }] of Object.entries(operations)) {
      // Endless streams are refused in tests of their own.
      if (security.length === 0 || path === '/v2/live') continue;
      const target = path.replace(/\{\w+\}/g, 'none');
      const without = await callApi(server, method.toUpperCase(), target, {
        authorization: authorization.wrong,
      });
      expect([method, path, without.status, '401' in responses]).toEqual([method, path, 401, true]);
      if (!path.startsWith('/v2')) continue;
      const reading = { authorization: authorization.v2 };
      const { status } = await callApi(server, method.toUpperCase(), target, reading);
      const isDocumented = status < 400 || String(status) in responses;
      expect([method, path, status, isDocumented]).toEqual([method, path, status, true]);
    }
  }
});
