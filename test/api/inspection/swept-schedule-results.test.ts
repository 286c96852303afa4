import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import {
  publishDelivered,
  repeatMoreSlowly,
  sweptRecords,
} from '../../support/clients/swept-messages.js';
import { startServer, type TestServer } from '../../support/server.js';

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
  await repeatMoreSlowly(
    () => publishDelivered(server, endpoint, 100),
    async () => (await sweptRecords(server)) >= 1000,
  );
  const { body } = await callApi(server, 'GET', '/v2/schedules/yearly/results');
  expect(body).toMatchObject({ results: [{ messageCount: 1 }] });
  expect(await statesOf('yearly')).toEqual([]);
}, 120_000);
