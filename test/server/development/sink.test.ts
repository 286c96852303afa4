import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeEach(async () => {
  server = await startServer({ mode: 'dev' });
});
afterEach(() => server.remove());

interface Taken {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly isBase64: boolean;
  readonly bodyBytes: number;
}

const taken = async () =>
  ((await callLog(server, '/admin/sink')).body as { requests: readonly Taken[] }).requests;

/** Publishes to the sink, and waits until the message has ended. */
async function publish(path: string, headers: Record<string, string> = {}): Promise<string> {
  const target = `/v2/publish/${server.url}${path}`;
  const { body, status } = await callApi(server, 'POST', target, headers, 'hello');
  expect([status, body]).toEqual([200, expect.objectContaining({ url: `${server.url}${path}` })]);
  const { messageId } = body as { messageId: string };
  for (;;) {
    const shown = await callApi(server, 'GET', `/v2/messages/${messageId}?final=true`);
    const { state } = shown.body as { state: string };
    if (state === 'DELIVERED' || state === 'FAILED') return state;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('the sink takes a message and shows the request', async () => {
  expect(await publish('/sink', { 'upstash-forward-x-tenant': 'acme' })).toBe('DELIVERED');
  const [request, ...others] = await taken();
  expect(others).toEqual([]);
  expect(request).toMatchObject({
    number: 1,
    method: 'POST',
    path: '/sink',
    status: 200,
    body: 'hello',
    isBase64: false,
    bodyBytes: 5,
  });
  const names = request?.headers.map(([name]) => name.toLowerCase());
  expect(names).toEqual(expect.arrayContaining(['x-tenant', 'upstash-signature']));
});

it('the sink answers with the status in its path, so that a message can fail', async () => {
  expect(await publish('/sink/500', { 'upstash-retries': '0' })).toBe('FAILED');
  expect((await taken()).map(({ path, status }) => [path, status])).toEqual([['/sink/500', 500]]);
  for (const path of ['/sink/99', '/sink/600', '/sink/100', '/sink/text']) {
    expect([path, (await fetch(`${server.url}${path}`)).status]).toEqual([path, 404]);
  }
  expect((await fetch(`${server.url}/sink/204`)).status).toBe(204);
  expect(await taken()).toHaveLength(2);
});

it('the sink keeps the last 50 requests with 16 KiB of each, and can forget them', async () => {
  for (let index = 0; index < 55; index += 1) await fetch(`${server.url}/sink?index=${index}`);
  const bytes = Buffer.alloc(20_000, 0xff);
  await fetch(`${server.url}/sink`, { method: 'PUT', body: bytes });
  const [last, ...before] = await taken();
  expect([last?.number, last?.isBase64, last?.bodyBytes]).toEqual([56, true, 20_000]);
  expect(Buffer.from(last?.body ?? '', 'base64')).toEqual(bytes.subarray(0, 16 * 1024));
  expect(before.map(({ path }) => path)).toEqual(
    Array.from({ length: 49 }, (_, index) => `/sink?index=${54 - index}`),
  );
  const cleared = await callLog(server, '/admin/sink', undefined, { method: 'DELETE' });
  expect([cleared.status, cleared.body]).toEqual([200, { requests: [] }]);
  expect(await taken()).toEqual([]);
});

it('the sink exists only under dev, and showing its requests needs credentials', async () => {
  const { status } = await fetch(`${server.url}/admin/sink`);
  expect(status).toBe(401);
  const other = await startServer();
  for (const path of ['/sink', '/sink/200', '/admin/sink']) {
    const answer = await callLog(other, path);
    expect([path, answer.status]).toEqual([path, 404]);
  }
  const session = await fetch(`${other.url}/console/session`);
  expect(((await session.json()) as { hasSink: boolean }).hasSink).toBe(false);
  await other.remove();
});
