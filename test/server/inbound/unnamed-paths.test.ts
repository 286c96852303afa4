import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

it.each(['/v2/messages/', '/v2/messages/?label=x', '/v2/dlq/', '/v2/workflows/runs/'])(
  'DELETE %s names nothing and changes nothing',
  async (path) => {
    await callApi(server, 'POST', '/v2/publish/https://example.com/hook', { 'svc-delay': '1h' });
    const { status, body } = await callApi(server, 'DELETE', path);
    expect([status, body]).toEqual([400, { error: expect.stringContaining('ends with "/"') }]);
    const listed = await callApi(server, 'GET', '/v2/messages?state=DELAYED&count=1');
    expect(listed.body).toMatchObject({ messages: [{ state: 'DELAYED' }] });
  },
);

it.each([
  '/v2/dlq/retry/',
  '/v2/dlq/retry/?label=x',
  '/v2/workflows/dlq/resume/',
  '/v2/workflows/dlq/restart/',
])('POST %s names nothing and retries nothing', async (path) => {
  const { status, body } = await callApi(server, 'POST', path);
  expect([status, body]).toEqual([400, { error: expect.stringContaining('ends with "/"') }]);
  const all = await callApi(server, 'POST', path.replace(/\/(\?.*)?$/, ''));
  expect(all.status).toBeLessThan(300);
});

it('a slash at the end of a path without a form for all is ignored', async () => {
  const { status } = await callApi(server, 'POST', '/v2/queues/', {}, '{"queueName":"line"}');
  expect(status).toBe(200);
});
