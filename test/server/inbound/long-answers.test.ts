import { RouteTable } from '../../../src/http/routes/route-table.js';
import { startServer } from '../../support/server.js';

/** Routes whose answers are made piece by piece, as the client reads them. */
const paced = [
  'GET /consume/:group/:instance',
  'GET /consume/:group/:instance/:topic',
  'GET /fetch',
  'GET /v2/dlq',
  'GET /v2/dlq/:id',
  'GET /v2/events',
  'GET /v2/logs',
  'GET /v2/messages/:id',
  'GET /v2/schedules',
  'GET /v2/schedules/:id',
  'GET /v2/workflows/dlq',
  'GET /v2/workflows/dlq/:id',
  'GET /v2/workflows/events',
  'GET /v2/workflows/logs',
  'GET /v2/workflows/messageLogs',
  'GET /v2/workflows/runs/*',
];

/** Routes that list entries of memory, or count entries that they read. */
const lists = [
  'GET /admin/credentials',
  'GET /admin/groups',
  'GET /admin/groups/:group',
  'GET /admin/subscriptions',
  'GET /admin/tokens',
  'GET /admin/topics',
  'GET /admin/topics/:name',
  'GET /consumers',
  'GET /topics',
  'GET /v2/flowControl',
  'GET /v2/jobs',
  'GET /v2/logs/counts',
  'GET /v2/queues',
  'GET /v2/topics',
  'GET /v2/topics/:name',
  'GET /v2/waiters',
  'GET /v2/waiters/*',
];

test('long answers are made as they are read, or claim space first', async () => {
  const server = await startServer();
  const { routes } = server.application.nest.get(RouteTable);
  await server.remove();
  const reads = routes.filter(({ method }) => method === 'GET');
  const named = (isLong?: true) =>
    reads
      .filter(({ description }) => description?.isLong === isLong)
      .map(({ pattern }) => `GET ${pattern}`);
  expect(named(true).sort()).toEqual(lists);
  expect(named()).toEqual(expect.arrayContaining(paced));
});
