import { callApi } from '../support/clients/api-call.js';
import { startServer, type TestServer } from '../support/server.js';

const group = '{"endpoints":[{"url":"https://example.com"}]}';
const later = { 'svc-delay': '1h' };

/** A write of every kind; each succeeds on a server that has received those before it. */
const writes: readonly [string, string, Record<string, string>?, string?][] = [
  ['POST', '/v2/publish/https://example.com', later],
  ['POST', '/v2/enqueue/q/https://example.com', later],
  ['POST', '/v2/batch', {}, '[{"destination":"https://example.com","headers":{"svc-delay":"1h"}}]'],
  [
    'POST',
    '/v2/schedules/https://example.com',
    { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 's' },
  ],
  ['PATCH', '/v2/schedules/s/pause'],
  ['POST', '/v2/schedules/s/resume'],
  ['DELETE', '/v2/schedules/s'],
  ['POST', '/v2/queues', {}, '{"queueName":"q","parallelism":2}'],
  ['POST', '/v2/queues/q/pause'],
  ['DELETE', '/v2/queues/q'],
  ['POST', '/v2/topics/g/endpoints', {}, group],
  ['PATCH', '/v2/topics/g', {}, '{"headers":{"X-A":["1"]}}'],
  ['DELETE', '/v2/topics/g/endpoints', {}, group],
  ['POST', '/v2/flowControl/k/pin?rate=1'],
  ['POST', '/v2/keys/rotate'],
  ['DELETE', '/v2/messages'],
  ['DELETE', '/v2/workflows/runs/wfr_a?cancel=false', {}, '"done"'],
  ['DELETE', '/v2/dlq'],
  ['POST', '/v2/dlq/retry'],
];

const said = async (server: TestServer, ...[method, path, headers, body]: (typeof writes)[0]) => {
  const answer = await callApi(server, method, path, headers, body);
  return [answer.status < 300, answer.headers.get('stepwell-durability')];
};

describe.each([
  ['strict', 'fsync'],
  ['os', 'os'],
])('with STEPWELL_FSYNC=%s', (mode, durability) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ environment: { STEPWELL_FSYNC: mode } });
  });
  afterAll(() => server.remove());

  test(`every answer to a write says ${durability}`, async () => {
    for (const write of writes) expect(await said(server, ...write)).toEqual([true, durability]);
  });

  test(`so does one that writes by GET`, async () => {
    const basic = { authorization: server.basic };
    for (const path of [
      '/produce/rides/hello',
      '/webhook?topic=rides',
      '/consume/readers/one/rides',
      '/commit/readers/one',
    ]) {
      expect([path, await said(server, 'GET', path, basic)]).toEqual([path, [true, durability]]);
    }
  });

  test('an answer to a read, and a refusal, say nothing of it', async () => {
    expect(await said(server, 'GET', '/v2/queues')).toEqual([true, null]);
    expect(await said(server, 'HEAD', '/health/live')).toEqual([true, null]);
    expect(await said(server, 'GET', '/topics', { authorization: server.basic })).toEqual([
      true,
      null,
    ]);
    expect(await said(server, 'DELETE', '/v2/schedules/none')).toEqual([false, null]);
    expect(await said(server, 'POST', '/v2/publish/')).toEqual([false, null]);
  });
});
