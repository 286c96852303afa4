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

it.each(['?count=5', '?dlqIds=1-1', '?order=latestFirst', '?cursor=x'])(
  'is refused with %s',
  async (query) => {
    const { status, body } = await callApi(server, 'GET', `/v2/dlq/groups${query}`);
    expect([status, body]).toEqual([400, { error: expect.any(String) }]);
  },
);
