import { systemClock } from '../../../src/engine/clock.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import {
  DisturbedEndpoints,
  parseFaults,
} from '../../../src/server/development/delivery-faults.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

it('reads faults as they are written, and refuses what is none', () => {
  expect(parseFaults('drop=5%,lose=0.5%,delay=1s')).toMatchObject({
    value: { drop: 0.05, lose: 0.005, delayMs: 1000 },
  });
  for (const text of ['', 'drop=5', 'drop=101%', 'delay=1d', 'burn=5%', 'drop=5%,,']) {
    expect(parseFaults(text).ok).toBe(false);
  }
});

describe('a server whose deliveries are disturbed', () => {
  let server: TestServer;
  let endpoint: RecordingEndpoint;

  async function start(drop: number, lose: number): Promise<void> {
    endpoint = await RecordingEndpoint.start();
    const plan = { drop, lose, delayMs: 1 };
    server = await startServer({
      ports: {
        disturbs: (usual) => new DisturbedEndpoints(usual, plan, systemClock, systemIdentifiers),
      },
    });
  }
  afterEach(async () => {
    await server.remove();
    await endpoint.stop();
  });

  /** What its failure was, of a message that is tried twice. */
  async function failure(): Promise<{ error: string; status: number }> {
    const options = { 'svc-retries': '1', 'svc-retry-delay': '1' };
    await callApi(server, 'POST', `/v2/publish/${endpoint.url}`, options);
    for (;;) {
      const { body } = await callApi(server, 'GET', '/v2/logs?state=FAILED');
      const [row] = (body as { logs: { error: string; responseStatus: number }[] }).logs;
      if (row !== undefined) return { error: row.error, status: row.responseStatus ?? 0 };
    }
  }

  it('an attempt that is dropped never arrives', async () => {
    await start(1, 0);
    expect((await failure()).error).toContain('dropped on purpose');
    expect(endpoint.requests).toHaveLength(0);
  });

  it('an attempt whose answer is lost arrives, and is made again', async () => {
    await start(0, 1);
    expect((await failure()).error).toContain('answered 200, lost on purpose');
    expect(endpoint.requests).toHaveLength(2);
  });
});
