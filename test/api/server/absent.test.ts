/** All routes that change or remove a resource answer in the same way if it does not exist. */
import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_MCP: 'true' } });
});

afterAll(() => server.remove());

const endpoints = JSON.stringify({ endpoints: [{ url: 'https://example.com' }] });

/** Routes that change or remove what their path names, with a body if they need one. */
const table: readonly [string, string, string, string?][] = [
  ['DELETE', '/v2/messages/{id}', 'message none not found'],
  ['DELETE', '/v2/queues/{name}', 'queue none not found'],
  ['POST', '/v2/queues/{name}/pause', 'queue none not found'],
  ['POST', '/v2/queues/{name}/resume', 'queue none not found'],
  ['PATCH', '/v2/topics/{name}', 'URL group none not found', '{"headers":{}}'],
  ['DELETE', '/v2/topics/{name}/endpoints', 'URL group none not found', endpoints],
  ['DELETE', '/v2/schedules/{id}', 'schedule none not found'],
  ['PATCH', '/v2/schedules/{id}/pause', 'schedule none not found'],
  ['POST', '/v2/schedules/{id}/pause', 'schedule none not found'],
  ['PATCH', '/v2/schedules/{id}/resume', 'schedule none not found'],
  ['POST', '/v2/schedules/{id}/resume', 'schedule none not found'],
  ['POST', '/v2/flowControl/{key}/pause', 'flow-control key none not found'],
  ['POST', '/v2/flowControl/{key}/resume', 'flow-control key none not found'],
  ['POST', '/v2/flowControl/{key}/unpin?rate=true', 'flow-control key none not found'],
  ['POST', '/v2/flowControl/{key}/resetRate', 'flow-control key none not found'],
  ['POST', '/v2/flowControl/{key}/reset', 'flow-control key none not found'],
  ['DELETE', '/v2/dlq/{id}', 'dead letter none not found'],
  ['POST', '/v2/dlq/retry/{id}', 'dead letter none not found'],
  ['POST', '/v2/dlq/resume/{id}', 'failed run none not found'],
  ['DELETE', '/v2/workflows/dlq/{id}', 'failed run none not found'],
  ['POST', '/v2/workflows/dlq/resume/{id}', 'failed run none not found'],
  ['POST', '/v2/workflows/dlq/restart/{id}', 'failed run none not found'],
  ['POST', '/v2/workflows/dlq/callback/{id}', 'failed run none not found'],
  ['DELETE', '/v2/workflows/dlq/callback/{id}', 'failed run none not found'],
  ['DELETE', '/v2/workflows/runs/{id}', 'workflow run none not found'],
  ['POST', '/v2/workflows/runs/{id}/token', 'workflow run none not found'],
  ['PATCH', '/v2/messages/{id}', 'message none not found', '{"delay":"1s"}'],
  ['POST', '/v2/messages/{id}/deliver', 'message none not found'],
  ['POST', '/v2/schedules/{id}/trigger', 'schedule none not found'],
  ['POST', '/v2/jobs/{id}/abort', 'job none not found'],
  ['DELETE', '/v2/jobs/{id}', 'job none not found'],
];

/**
 * Routes that create what their path names if it is missing, or that do not require it to exist.
 */
const others: readonly string[] = [
  'POST /v2/publish/{}',
  'POST /v2/enqueue/{}/{}',
  'POST /v2/schedules/{}',
  'POST /v2/trigger/{}',
  'POST /v2/topics/{}/endpoints',
  'POST /v2/flowControl/{}/pin',
  // Clients delete their group before they create it: the tests of published clients do.
  'DELETE /v2/topics/{}',
  'POST /v2/wait/{}',
  'POST /v2/notify/{}',
  'POST /v2/notify/{}/{}',
];

describe('a resource that does not exist', () => {
  it.each(table)('is answered by %s %s with 404: %s', async (method, path, error, body) => {
    const target = path.replace(/\{\w+\}/, 'none');
    const answer = await callApi(server, method, target, {}, body);
    expect([answer.status, answer.body]).toEqual([404, { error }]);
  });

  it('is deleted with 200 if it is a URL group', async () => {
    expect((await callApi(server, 'DELETE', '/v2/topics/none')).status).toBe(200);
  });

  it('is not created by pausing or resuming it', async () => {
    for (const path of ['/v2/flowControl/none', '/v2/queues/none', '/v2/schedules/none']) {
      await callApi(server, 'POST', `${path}/pause`);
      await callApi(server, 'POST', `${path}/resume`);
      expect((await callApi(server, 'GET', path)).status).toBe(404);
    }
  });

  it('may be an endpoint of a URL group: the others of the request are removed', async () => {
    const remove = (...urls: readonly string[]) => {
      const body = JSON.stringify({ endpoints: urls.map((url) => ({ url })) });
      return callApi(server, 'DELETE', '/v2/topics/known/endpoints', {}, body);
    };
    const two = { endpoints: [{ url: 'https://a.example' }, { url: 'https://b.example' }] };
    await callApi(server, 'POST', '/v2/topics/known/endpoints', {}, JSON.stringify(two));
    expect(await remove('https://none.example')).toMatchObject({
      status: 404,
      body: { error: 'URL group known has no such endpoint' },
    });
    expect((await remove('https://none.example', 'https://a.example')).status).toBe(200);
    expect((await callApi(server, 'GET', '/v2/topics/known')).body).toMatchObject({
      endpoints: [{ url: 'https://b.example' }],
    });
  });

  it('is tested on every route that names a resource and changes something', async () => {
    const { body } = await callApi(server, 'GET', '/openapi.json');
    const { paths } = body as { readonly paths: Readonly<Record<string, object>> };
    const nameless = (path: string) => path.replace(/\?.*/, '').replace(/\{\w+\}/g, '{}');
    const looked = new Set([
      ...table.map(([method, path]) => `${method} ${nameless(path)}`),
      ...others,
    ]);
    const isOpen = (path: string) => path.startsWith('/v2/workflows/hooks');
    const changing = Object.entries(paths)
      .filter(([path]) => path.startsWith('/v2/') && path.includes('{') && !isOpen(path))
      .flatMap(([path, operations]) =>
        Object.keys(operations)
          .filter((method) => method !== 'get')
          .map((method) => `${method.toUpperCase()} ${nameless(path)}`),
      );
    expect(changing.filter((route) => !looked.has(route))).toEqual([]);
    expect([...looked].filter((route) => !changing.includes(route))).toEqual([]);
  });
});
