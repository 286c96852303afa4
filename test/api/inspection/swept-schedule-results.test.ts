import { request } from 'undici';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

const perBatch = 100;
const environment = { STEPWELL_LOG_RETENTION: '1s', STEPWELL_GLOBAL_PARALLELISM: '200' };
const ports = { fileSizes: { segmentBytes: 64 * 1024, reserveBytes: 0 } };

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
  server = await startServer({ environment, ports });
});

afterEach(async () => {
  await endpoint.stop();
  await server.remove();
});

async function publishBatch(): Promise<void> {
  const item = { destination: `${endpoint.url}/many`, body: 'x'.repeat(200) };
  const batch = JSON.stringify(Array.from({ length: perBatch }, () => item));
  const { status } = await callApi(server, 'POST', '/v2/batch', {}, batch);
  expect(status).toBe(200);
}

async function sweptRecords(): Promise<number> {
  const text = await (await request(`${server.url}/metrics`)).body.text();
  return Number(/^stepwell_journal_swept_records_total (\d+)$/m.exec(text)?.[1]);
}

async function statesOf(id: string): Promise<readonly string[]> {
  const { body } = await callApi(server, 'GET', `/v2/schedules/${id}/results`);
  const { results } = body as { results: readonly { states: Record<string, string> }[] };
  return results.flatMap(({ states }) => Object.values(states));
}

/** Gives up after a while, so that the test says what is missing. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 400; left > 0 && !(await isSo()); left -= 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('does not call a message failed that was delivered and is swept', async () => {
  const options = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 'yearly' };
  await callApi(server, 'POST', `/v2/schedules/${endpoint.url}/s`, options, 'again');
  const triggered = await callApi(server, 'POST', '/v2/schedules/yearly/trigger');
  expect(triggered.status).toBe(200);
  await until(async () => (await statesOf('yearly'))[0] === 'SUCCESS');
  expect(await statesOf('yearly')).toEqual(['SUCCESS']);
  // Without more events, what lies behind the last sweep may never be worth the next one.
  await until(async () => {
    await publishBatch();
    return (await sweptRecords()) >= 10 * perBatch;
  });
  expect(await sweptRecords()).toBeGreaterThanOrEqual(10 * perBatch);
  const { body } = await callApi(server, 'GET', '/v2/schedules/yearly/results');
  expect(body).toMatchObject({ results: [{ messageCount: 1 }] });
  expect(await statesOf('yearly')).toEqual([]);
}, 120_000);
