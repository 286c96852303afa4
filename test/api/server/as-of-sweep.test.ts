import { JournalSweeps } from '../../../src/engine/history/journal-sweeps.js';
import { Journal } from '../../../src/engine/journal.js';
import { callApi } from '../../support/clients/api-call.js';
import { EventSource } from '../../support/clients/event-source.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { sweptRecords } from '../../support/clients/swept-messages.js';
import { startServer, type TestServer } from '../../support/server.js';

const messages = 4000;
const perBatch = 100;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start();
  server = await startServer({
    environment: { STEPWELL_JOURNAL_RETENTION: 'sweep', STEPWELL_LOG_RETENTION: '1s' },
    ports: { fileSizes: { segmentBytes: 64 * 1024, reserveBytes: 0 } },
  });
});

afterAll(async () => {
  await endpoint.stop();
  await server.remove();
});

async function publishMany(): Promise<void> {
  const item = { destination: `${endpoint.url}/many`, body: 'x'.repeat(200) };
  const batch = JSON.stringify(Array.from({ length: perBatch }, () => item));
  for (let published = 0; published < messages; published += perBatch) {
    expect((await callApi(server, 'POST', '/v2/batch', {}, batch)).status).toBe(200);
  }
}

describe('?asOf= while the journal is swept', () => {
  it('answers the past state or says that it is unknown, and does not stop the sweep', async () => {
    const journal = server.application.nest.get(Journal, { strict: false });
    const later = `/v2/publish/${endpoint.url}/later`;
    const { body } = await callApi(server, 'POST', later, { 'svc-delay': '1h' }, 'patient');
    const { messageId } = body as { messageId: string };
    const path = `/v2/messages/${messageId}`;
    const then = (await callApi(server, 'GET', path)).body;
    await publishMany();
    // The thread that answers reads the segments that the sweep rewrites and removes.
    for (let at = journal.highWatermark; (await sweptRecords(server)) < messages; at += 1) {
      const offset = Math.min(at, journal.highWatermark);
      const answer = await callApi(server, 'GET', `${path}?asOf=${offset}`);
      expect([200, 422, 503]).toContain(answer.status);
      if (answer.status === 200) expect(answer.body).toEqual(then);
    }
    const first = await callApi(server, 'GET', `${path}?asOf=1`);
    expect(first.status).toBe(422);
    const last = await callApi(server, 'GET', `${path}?asOf=${journal.highWatermark}`);
    expect(last).toMatchObject({ status: 200, body: then });
    expect((await callApi(server, 'GET', path)).body).toEqual(then);
  }, 120_000);

  it('says that the state is unknown if a killed sweep may have removed it', async () => {
    const own = await startServer();
    const { nest } = own.application;
    const journal = nest.get(Journal, { strict: false });
    const sweeps = nest.get(JournalSweeps, { strict: false });
    try {
      const publish = `/v2/publish/${endpoint.url}/gone`;
      const { messageId } = (await callApi(own, 'POST', publish)).body as { messageId: string };
      const path = `/v2/messages/${messageId}`;
      // Wait until the message is delivered.
      while ((await callApi(own, 'GET', path)).status === 200) await pause(20);
      const { value: published } = await journal.find(messageId, 0, journal.highWatermark).next();
      await journal.seal();
      // Like the sweeper, but stop before the sweep is recorded as complete.
      const edge = journal.highWatermark;
      await sweeps.begin(edge, Date.now());
      await journal.sweep(
        edge,
        () => false,
        async () => undefined,
      );
      const asOf = published.offset + 1;
      expect((await callApi(own, 'GET', `${path}?asOf=${asOf}`)).status).toBe(422);
      const authorization = own.bearer;
      const stream = await EventSource.open(`${own.url}/v2/live`, { authorization }, '0');
      expect((await stream.take(1)).map(({ type }) => type)).toEqual(['reload']);
      stream.cut();
    } finally {
      await own.remove();
    }
  });
});
