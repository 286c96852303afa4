import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

/** The operations of the OpenAPI document, as far as they are read here. */
interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly security: readonly unknown[];
}

const unknown = (name: string) => ({ error: `there is no filter "${name}"` });

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

const authorizationFor = (path: string) => (path.startsWith('/v2') ? server.bearer : server.basic);

it('every GET below /v2 and /admin refuses an unknown filter', async () => {
  const { paths } = (await callApi(server, 'GET', '/openapi.json')).body as Documented;
  const guarded = Object.entries(paths).filter(
    ([path, { get }]) => /^\/(v2|admin)\//.test(path) && (get?.security.length ?? 0) > 0,
  );
  expect(guarded.length).toBeGreaterThan(50);
  for (const [path] of guarded) {
    // The id of an event may contain a question mark, and clients do not encode it.
    if (path === '/v2/waiters/{eventId}') continue;
    const target = path.replace(/\{\w+\}/g, 'none');
    const authorization = authorizationFor(path);
    for (const name of ['bogus', 'asof']) {
      const query = `${target}?${name}=1`;
      const { status, body } = await callApi(server, 'GET', query, { authorization });
      expect([query, status, body]).toEqual([query, 400, expect.objectContaining(unknown(name))]);
    }
  }
});

it('a token in the query is no filter', async () => {
  for (const name of ['token', 'qstash_token']) {
    const { status } = await fetch(`${server.url}/v2/queues?${name}=${server.token}`);
    expect([name, status]).toEqual([name, 200]);
  }
});

it.each(['queues', 'flowControl'])('pausing all %s refuses filters', async (path) => {
  for (const verb of ['pause', 'resume']) {
    const target = `/v2/${path}/${verb}`;
    const inQuery = await callApi(server, 'POST', `${target}?queueName=a`);
    expect([inQuery.status, inQuery.body]).toEqual([400, unknown('queueName')]);
    const inBody = await callApi(server, 'POST', target, {}, '{"queueName":"a"}');
    expect([inBody.status, inBody.body]).toEqual([400, unknown('queueName')]);
    for (const body of [undefined, '{}']) {
      expect((await callApi(server, 'POST', target, {}, body)).status).toBe(200);
    }
  }
});
