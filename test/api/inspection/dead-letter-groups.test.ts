import { cursorAt } from '../../../src/http/cursor.js';
import { failureOffsetOf } from '../../../src/messaging/messages/dead-letter-id.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start();
  let orders = 16;
  endpoint.answer(({ url }) => {
    orders += 1;
    return { status: url === '/busy' ? 503 : 500, body: `order ${orders} is lost` };
  });
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

async function publish(url: string, headers: Record<string, string> = {}) {
  const options = { 'svc-retries': '0', ...headers };
  const { status } = await callApi(server, 'POST', `/v2/publish/${url}`, options, 'x');
  expect(status).toBe(200);
}

interface Groups {
  readonly groups: readonly { count: number; newestAt: number; oldestAt: number; dlqId: string }[];
  readonly others: number;
}

const grouped = async (query = '') =>
  (await callApi(server, 'GET', `/v2/dlq/groups${query}`)).body as Groups;

it('has one group for each error of a destination, the largest first', async () => {
  await publish(`${endpoint.url}/lost`, { 'svc-label': 'first' });
  await publish(`${endpoint.url}/lost`);
  await publish(`${endpoint.url}/lost-too`);
  await publish(`${endpoint.url}/busy`);
  const closed = await RecordingEndpoint.start();
  const { url } = closed;
  await closed.stop();
  await publish(`${url}/x`);
  let all = await grouped();
  const countOf = ({ groups }: Groups) => groups.reduce((sum, { count }) => sum + count, 0);
  while (countOf(all) < 5) all = await grouped();
  const lost = { responseStatus: 500, origin: endpoint.url, error: 'order # is lost', count: 3 };
  expect(all).toMatchObject({ others: 0, groups: [lost, { count: 1 }, { count: 1 }] });
  expect(all.groups).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...lost, responseStatus: 503, count: 1 }),
      expect.objectContaining({ responseStatus: 0, origin: url, count: 1 }),
    ]),
  );
  const [largest] = all.groups;
  expect(largest?.newestAt).toBeGreaterThanOrEqual(largest?.oldestAt ?? Number.NaN);
  const newest = await callApi(server, 'GET', `/v2/dlq/${largest?.dlqId}`);
  expect(newest.body).toMatchObject({ responseStatus: 500 });
  expect((await grouped('?label=first')).groups).toMatchObject([{ ...lost, count: 1 }]);
  expect((await grouped('?responseStatus=503')).groups).toMatchObject([{ responseStatus: 503 }]);
  // Behind the newest of the largest group there are the two that are older.
  const cursor = cursorAt(failureOffsetOf(largest?.dlqId ?? ''));
  const behind = await grouped(`?responseStatus=500&cursor=${cursor}`);
  expect(behind.groups).toMatchObject([{ ...lost, count: 2 }]);
});

it('the letters of a group are listed, counted and taken by a job by their error', async () => {
  endpoint.answer(({ url }) => ({ status: 500, body: url === '/a' ? 'no paper 1' : 'no ink 2' }));
  for (const path of ['/a', '/b', '/a']) {
    await publish(`${endpoint.url}${path}`, { 'svc-label': 'print' });
  }
  let all = await grouped('?label=print');
  while (all.groups[0]?.count !== 2) all = await grouped('?label=print');
  const [, ink] = all.groups;
  expect(ink).toMatchObject({ error: 'no ink #', count: 1 });
  const list = async (error: string) => {
    const path = `/v2/dlq?label=print&error=${encodeURIComponent(error)}`;
    const { body } = await callApi(server, 'GET', path);
    return (body as { messages: { dlqId: string }[] }).messages.map(({ dlqId }) => dlqId);
  };
  expect(await list('no ink #')).toEqual([ink?.dlqId]);
  expect(await list('no ink 17')).toEqual([ink?.dlqId]);
  expect(await list('no paper #')).toHaveLength(2);
  expect(await list('no')).toEqual([]);
  const counted = await grouped(`?error=${encodeURIComponent('no ink #')}`);
  expect(counted.groups).toEqual([ink]);
  const filter = { error: 'no paper #' };
  const job = JSON.stringify({ verb: 'delete', over: 'deadLetters', filter, dryRun: true });
  const { body } = await callApi(server, 'POST', '/v2/jobs', {}, job);
  expect(body).toMatchObject({ matched: 2 });
});

it.each(['?count=5', '?dlqIds=1-1', '?order=latestFirst', '?cursor=x'])(
  'is refused with %s',
  async (query) => {
    const { status, body } = await callApi(server, 'GET', `/v2/dlq/groups${query}`);
    expect([status, body]).toEqual([400, { error: expect.any(String) }]);
  },
);
