import { getEventListeners } from 'node:events';
import { systemClock } from '../../../src/engine/clock.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import {
  DisturbedEndpoints,
  parseFaults,
} from '../../../src/server/development/delivery-faults.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

it('faults are parsed, and invalid ones are refused', () => {
  expect(parseFaults('drop=5%,lose=0.5%,delay=1s')).toMatchObject({
    value: { drop: 0.05, lose: 0.005, delayMs: 1000 },
  });
  for (const text of ['', 'drop=5', 'drop=101%', 'delay=1d', 'burn=5%', 'drop=5%,,']) {
    expect(parseFaults(text).ok).toBe(false);
  }
});

describe('attempts that go out later', () => {
  const made = { status: 200, headers: [], body: Buffer.alloc(0), bodyTruncated: false };
  const outcome = { ...made, error: null, startedAt: 0, durationMs: 0, cut: false };
  const attempt = { url: 'http://a.test/', method: 'GET', headers: [], body: null };
  const request = { ...attempt, timeoutMs: 1000, captureBytes: 0 };
  const endpoints = { call: async () => outcome, close: async () => undefined };

  const later = (delayMs: number) => {
    const plan = { drop: 0, lose: 0, delayMs };
    return new DisturbedEndpoints(endpoints, plan, systemClock, systemIdentifiers);
  };

  it('share one listener of their signal, and leave nothing behind', async () => {
    const { signal } = new AbortController();
    const disturbed = later(1);
    const calls = Array.from({ length: 20 }, () => disturbed.call(request, signal));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await Promise.all(calls);
    await disturbed.call(request, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });

  it('do not wait where the server stops', async () => {
    const stop = new AbortController();
    const disturbed = later(600_000);
    const calls = [disturbed.call(request, stop.signal), disturbed.call(request, stop.signal)];
    stop.abort();
    calls.push(disturbed.call(request, stop.signal));
    expect(await Promise.all(calls)).toEqual([outcome, outcome, outcome]);
  });
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

  /** The failure of a message that is attempted twice. */
  async function failure(): Promise<{ error: string; status: number }> {
    const options = { 'svc-retries': '1', 'svc-retry-delay': '1' };
    await callApi(server, 'POST', `/v2/publish/${endpoint.url}`, options);
    for (;;) {
      const { body } = await callApi(server, 'GET', '/v2/logs?state=FAILED');
      const [row] = (body as { logs: { error: string; responseStatus: number }[] }).logs;
      if (row !== undefined) return { error: row.error, status: row.responseStatus ?? 0 };
    }
  }

  it('drops an attempt, which never arrives', async () => {
    await start(1, 0);
    expect((await failure()).error).toContain('dropped on purpose');
    expect(endpoint.requests).toHaveLength(0);
  });

  it('loses the answer of an attempt, which arrives and is repeated', async () => {
    await start(0, 1);
    expect((await failure()).error).toContain('answered 200, lost on purpose');
    expect(endpoint.requests).toHaveLength(2);
  });
});
