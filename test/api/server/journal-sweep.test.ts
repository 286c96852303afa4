import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { type Answer, callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { sweptRecords } from '../../support/clients/swept-messages.js';
import { startServer, type TestServer } from '../../support/server.js';
import { askToWait, WaitingRuns } from '../../support/workflows/waiting-runs.js';

/** More for longer runs: `SWEPT_MESSAGES=200000 npm run jest -- test/api/server/journal-sweep`. */
const messages = Number(process.env['SWEPT_MESSAGES'] ?? 3000);
const perBatch = 100;

const environment = {
  STEPWELL_JOURNAL_RETENTION: 'sweep',
  STEPWELL_LOG_RETENTION: '1s',
  STEPWELL_GLOBAL_PARALLELISM: '200',
};
const ports = { fileSizes: { segmentBytes: 64 * 1024, reserveBytes: 0 } };

let server: TestServer;
let endpoint: RecordingEndpoint;
let runs: WaitingRuns;

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
  server = await startServer({ environment, ports });
});

afterEach(async () => {
  await runs.stop();
  await endpoint.stop();
  await server.remove();
});

const get = (path: string): Promise<Answer> => callApi(server, 'GET', path);

async function publishMany(): Promise<void> {
  const batch = Array.from({ length: perBatch }, () => ({
    destination: `${endpoint.url}/many`,
    body: 'x'.repeat(200),
  }));
  for (let published = 0; published < messages; published += perBatch) {
    const { status } = await callApi(server, 'POST', '/v2/batch', {}, JSON.stringify(batch));
    expect(status).toBe(200);
  }
}

async function sweptAlmostAll(): Promise<void> {
  while ((await sweptRecords(server)) < messages) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const listings = [
  '/v2/logs',
  '/v2/logs?order=earliestFirst',
  '/v2/workflows/logs',
  '/v2/workflows/messageLogs?order=earliestFirst',
  '/v2/dlq',
  '/v2/workflows/dlq',
];

async function listed(): Promise<number[]> {
  const answers = await Promise.all(listings.map(get));
  return answers.map(({ status }) => status);
}

describe('a journal that is swept while the server works', () => {
  it('loses what has ended, keeps what waits, and is intact after a restart', async () => {
    runs = await WaitingRuns.start(({ runId, entries }) =>
      entries.length === 1
        ? askToWait(server, runId, 'order.paid', 1, {})
        : callApi(server, 'DELETE', `/v2/workflows/runs/${runId}?cancel=false`, {}, 'done'),
    );
    await runs.begin(server, 'wfr_waiting', {});
    await runs.delivered(1);
    const waiting = `/v2/publish/${endpoint.url}/later`;
    const { body } = await callApi(server, 'POST', waiting, { 'svc-delay': '1h' }, 'patient');
    const { messageId } = body as { messageId: string };
    await callApi(
      server,
      'POST',
      `/v2/publish/${endpoint.url}/many`,
      { 'svc-delay': '2s' },
      'soon',
    );
    await publishMany();
    await sweptAlmostAll();
    expect(await listed()).toEqual(listings.map(() => 200));
    await server.stop();
    expect((await verifyFolder(server.dataDirectory)).problems).toEqual([]);

    server = await startServer({ environment, ports, dataDirectory: server.dataDirectory });
    expect(await listed()).toEqual(listings.map(() => 200));
    expect((await get(`/v2/messages/${messageId}`)).body).toMatchObject({ body: 'patient' });
    expect((await get('/v2/waiters/order.paid')).body).toHaveLength(1);
    await callApi(server, 'POST', '/v2/notify/order.paid', {}, 'now');
    const [, second] = await runs.delivered(2);
    expect(second?.entries).toHaveLength(2);
  }, 120_000);
});
