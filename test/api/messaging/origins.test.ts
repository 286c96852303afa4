import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-api.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;
/** The status with which the endpoint answers. */
let status = 200;

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start(() => ({ status }));
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
});

interface Origin {
  readonly origin: string;
  readonly inFlight: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly lastFailure: { readonly status: number } | null;
  readonly refused: string | null;
}

async function publish(url: string): Promise<void> {
  const headers = { 'svc-retries': '0' };
  expect((await callApi(server, 'POST', `/v2/publish/${url}`, headers, 'x')).status).toBe(200);
}

/** The origins, once this many attempts have ended. */
async function originsOnce(ended: number): Promise<readonly Origin[]> {
  for (;;) {
    const origins = (await callLog(server, '/admin/origins')).body as readonly Origin[];
    const all = origins.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
    if (all === ended && origins.every(({ inFlight }) => inFlight === 0)) return origins;
  }
}

const reach = (body: unknown) => callLog(server, '/admin/reach', body);

test('each origin shows the results of its attempts, the one called last first', async () => {
  const good = new URL(endpoint.url).origin;
  const bad = server.url;
  await publish(`${bad}/absent`);
  await originsOnce(1);
  await publish(`${good}/a`);
  await publish(`${good}/b`);
  await originsOnce(3);
  status = 500;
  await publish(`${good}/c`);
  const origins = await originsOnce(4);
  expect(origins).toEqual([
    {
      origin: good,
      inFlight: 0,
      limit: 64,
      succeeded: 2,
      failed: 1,
      lastAt: expect.any(Number),
      lastFailure: { at: expect.any(Number), status: 500, error: null },
      refused: null,
      pausedAt: null,
    },
    expect.objectContaining({
      origin: bad,
      succeeded: 0,
      failed: 1,
      lastFailure: { at: expect.any(Number), status: 401, error: null },
    }),
  ]);
  status = 200;
});

describe('POST /admin/reach', () => {
  it('resolves a destination, and calls it once on demand', async () => {
    const before = endpoint.requests.length;
    const allowed = { url: `${endpoint.url}/x`, allowed: true, addresses: ['127.0.0.1'] };
    const judged = await reach({ url: `${endpoint.url}/x` });
    expect([judged.status, judged.body]).toEqual([200, allowed]);
    expect(endpoint.requests.length).toBe(before);
    const { body } = await reach({ url: `${endpoint.url}/x`, head: true });
    expect(body).toEqual({ ...allowed, head: { status: 200, durationMs: expect.any(Number) } });
    expect(endpoint.requests.slice(before).map(({ method }) => method)).toEqual(['HEAD']);
  });

  it('calls a destination as attempts do, with what browsers resolve or send nowhere', async () => {
    const { body } = await reach({ url: `${endpoint.url}/a/../b`, head: true });
    expect(body).toMatchObject({ url: `${endpoint.url}/a/../b`, head: { status: 200 } });
    expect(endpoint.requests.at(-1)?.url).toBe('/a/../b');
    expect((await reach({ url: `${endpoint.url}/x#part` })).body).toMatchObject({
      url: `${endpoint.url}/x`,
    });
  });

  it('gives the reason why a destination may not be called, and does not call it', async () => {
    for (const [url, reason] of [
      ['http://169.254.169.254/latest', 'metadata'],
      ['http://127.0.0.1:6379/', 'port 6379'],
      ['ftp://127.0.0.1/', 'http://'],
      ['http://user:pw@127.0.0.1:8080/', 'user name'],
      ['http://no-such-name.invalid/', 'resolve'],
    ]) {
      const { status: answered, body } = await reach({ url, head: true });
      expect([answered, body]).toMatchObject([200, { allowed: false, addresses: [] }]);
      expect((body as { reason: string }).reason).toContain(reason);
      expect(body).not.toHaveProperty('head');
    }
  });

  it('names the setting that could allow a destination, if one could', async () => {
    for (const [url, setting] of [
      ['http://198.18.0.1/', 'STEPWELL_ALLOW_NETWORKS'],
      ['http://169.254.169.254/', undefined],
      ['http://127.0.0.1:6379/', undefined],
    ]) {
      const { body } = await reach({ url });
      expect(body).toMatchObject({ allowed: false });
      expect((body as { setting?: string }).setting).toBe(setting);
    }
  });

  it.each([{}, { url: 'nothing' }, { url: 1 }, { url: 'http://127.0.0.1/', more: 1 }])(
    'refuses %j',
    async (body) => {
      expect((await reach(body)).status).toBe(400);
    },
  );
});
