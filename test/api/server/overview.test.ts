import { Client } from '@upstash/qstash';
import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_TOKEN: 'a-token-of-the-environment' } });
});

afterAll(() => server.remove());

async function get(path: string, authorization = server.basic) {
  return callApi(server, 'GET', `/admin/${path}`, { authorization });
}

async function publish(target: string, headers: Record<string, string>): Promise<void> {
  const { status } = await callApi(server, 'POST', `/v2/publish/${target}`, headers, 'x');
  expect(status).toBe(200);
}

interface Overview {
  readonly state: string;
  readonly numbers: Readonly<Record<string, number>>;
  readonly backlog: Readonly<Record<string, unknown>>;
  readonly schedules: { readonly count: number; readonly next: readonly { at: number }[] };
  readonly origins: readonly object[];
  readonly disk: Readonly<Record<string, number>>;
}

const overview = async () => (await get('overview')).body as Overview;

describe('GET /admin/overview', () => {
  it('says why messages are not delivered yet, and what fires next', async () => {
    const absent = `${server.url}/absent`;
    const held = { 'svc-flow-control-key': 'held', 'svc-flow-control-value': 'rate=1' };
    await publish(absent, { 'svc-delay': '1h', ...held });
    expect((await callApi(server, 'POST', '/v2/flowControl/held/pause')).status).toBe(200);
    await publish(absent, held);
    const cron = { 'svc-cron': '* * * * *', 'svc-schedule-id': 'minutely' };
    await callApi(server, 'POST', `/v2/schedules/${absent}`, cron, 'x');
    let seen = await overview();
    while (seen.numbers['waiting'] !== 1) seen = await overview();
    expect(seen.state).toBe('serving');
    expect(seen.backlog).toEqual({
      pending: 2,
      inFlight: 0,
      later: 1,
      waiting: { flowControl: 1 },
    });
    expect(seen.numbers).toMatchObject({ pending: 2, waiting: 1, deadLetters: 0, activeRuns: 0 });
    expect(seen.schedules).toMatchObject({
      count: 1,
      isComplete: true,
      next: [{ scheduleId: 'minutely', at: expect.any(Number) }],
    });
    expect(seen.schedules.next[0]?.at).toBeGreaterThan(Date.now() - 60_000);
    expect(seen.disk).toMatchObject({ availableBytes: expect.any(Number) });
    expect(seen.disk['journalBytes']).toBeGreaterThan(0);
    await callApi(server, 'DELETE', '/v2/schedules/minutely');
  });

  it('names the origins to which attempts fail, and since when one is paused', async () => {
    const { url } = server;
    const authorization = server.basic;
    const paused = JSON.stringify({ origin: url });
    await publish(`${url}/absent`, { 'svc-retries': '0' });
    while ((await overview()).origins.length === 0);
    await callApi(server, 'POST', '/admin/origins/pause', { authorization }, paused);
    expect((await overview()).origins).toEqual([
      {
        origin: url,
        failed: 1,
        succeeded: 0,
        lastFailure: { at: expect.any(Number), status: expect.any(Number), error: null },
        pausedAt: expect.any(Number),
      },
    ]);
    await callApi(server, 'POST', '/admin/origins/resume', { authorization }, paused);
    // A server that has just started does not know yet how fast its disk fills.
    expect((await overview()).disk['daysLeft']).toBeNull();
  });
});

describe('GET /admin/series', () => {
  it('gives a value for each step, including the current one', async () => {
    const { body, status } = await get('series?names=published,lagP50,pending&step=2m');
    expect(status).toBe(200);
    const { from, stepMs, series } = body as {
      from: number;
      stepMs: number;
      series: Record<string, (number | null)[]>;
    };
    expect([stepMs, from % stepMs]).toEqual([120_000, 0]);
    expect(Object.keys(series)).toEqual(['published', 'lagP50', 'pending']);
    for (const points of Object.values(series)) {
      expect([720, 721]).toContain(points.length);
      expect(points[0]).toBeNull();
    }
    // No other test uses this server, so all its events fall into the last few minutes.
    const published = (series['published'] ?? []).reduce(
      (sum: number, each) => sum + (each ?? 0),
      0,
    );
    expect(published).toBeGreaterThanOrEqual(2);
    expect(series['pending']?.at(-1)).toBe(2);
  });

  it.each([
    ['names=published,nothing', 'not nothing'],
    ['step=90s', 'whole minutes'],
    ['step=0s', 'step'],
    ['step=2d', 'at most a day'],
    ['from=99999999999999', 'in the future'],
    ['until=1', 'there is no filter'],
  ])('refuses %s', async (query, reason) => {
    const { status, body } = await get(`series?${query}`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('GET /admin/config', () => {
  it('shows every setting, its source, and no secret', async () => {
    const { body } = await get('config');
    const settings = body as { variable: string; value: string | null; source: string }[];
    const of = (variable: string) => settings.find((each) => each.variable === variable);
    expect(of('STEPWELL_PORT')).toEqual({
      variable: 'STEPWELL_PORT',
      value: '0',
      isSecret: false,
      source: 'environment',
    });
    expect(of('STEPWELL_RETRIES')).toMatchObject({ value: '3', source: 'default' });
    const secret = { value: null, isSecret: true };
    expect(of('STEPWELL_TOKEN')).toMatchObject({ ...secret, source: 'environment' });
    expect(of('STEPWELL_REST_PASSWORD')).toMatchObject({ ...secret, source: 'generated' });
    const text = JSON.stringify(body);
    const { credentials } = server;
    for (const value of [...credentials.tokens, ...credentials.readTokens]) {
      expect(text).not.toContain(value);
    }
    expect(text).not.toContain(credentials.restPassword);
    expect(text).not.toContain(credentials.currentSigningKey);
  });
});

test('GET /admin/build says which program runs', async () => {
  const { body } = await get('build');
  expect(body).toMatchObject({ node: process.version, pid: process.pid, platform: 'linux' });
});

test('GET /admin/build names some SDKs, and only those of authorized clients', async () => {
  const named = (name: string, authorization = server.bearer) =>
    fetch(`${server.url}/v2/queues`, {
      headers: { authorization, 'upstash-telemetry-sdk': name },
    });
  expect((await named('stranger@1', 'Bearer none')).status).toBe(401);
  const client = new Client({ baseUrl: server.url, token: server.token });
  await client.publish({ url: 'http://127.0.0.1:9000/x', delay: 3600, body: 'x' });
  await named('one two');
  for (let count = 0; count < 40; count += 1) await named(`made-up@${count}`);
  await named('made-up@0');
  const { clients } = (await get('build')).body as { clients: { name: string }[] };
  expect(clients).toHaveLength(32);
  expect(clients).toContainEqual({ name: 'made-up@0', requests: 2 });
  expect(clients).toContainEqual({
    name: expect.stringMatching(/^upstash-qstash-js@\d/),
    requests: 1,
  });
  expect(clients.filter(({ name }) => /stranger| /.test(name))).toEqual([]);
});

test('these routes are for administrators, or for a created token that may read', async () => {
  const made = { name: 'consumer', permissions: 'CONSUME', topic: '*' };
  const { username, password } = (await callLog(server, '/admin/credentials', made)).body as {
    username: string;
    password: string;
  };
  const consumer = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const viewer = (await callLog(server, '/admin/tokens', { name: 'viewer', role: 'read' })).body;
  for (const path of ['overview', 'series', 'config', 'build']) {
    expect((await get(path, 'Basic bm86Ym9keQ==')).status).toBe(401);
    expect((await get(path, consumer)).status).toBe(403);
    expect((await get(path, `Bearer ${(viewer as { token: string }).token}`)).status).toBe(200);
  }
});
