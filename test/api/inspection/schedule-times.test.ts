import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(() => endpoint.stop());

const ask = (method: string, path: string, body?: unknown) =>
  callApi(
    server,
    method,
    `/v2/schedules/${path}`,
    {},
    body === undefined ? body : JSON.stringify(body),
  );

/** Happens once a year, so that it never triggers while a test runs. */
async function create(id: string, headers: Record<string, string> = {}, to = `${endpoint.url}/s`) {
  const options = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': id, ...headers };
  const { status } = await callApi(server, 'POST', `/v2/schedules/${to}`, options, 'again');
  expect(status).toBe(200);
}

const shown = async (id: string) =>
  (await ask('GET', id)).body as { nextScheduleTime?: number; isPaused: boolean };

interface Results {
  readonly results: readonly { states: Record<string, string>; [field: string]: unknown }[];
}

/** The results once all of their messages have ended. */
async function resultsOf(id: string): Promise<Results['results']> {
  for (;;) {
    const { results } = (await ask('GET', `${id}/results`)).body as Results;
    const states = results.flatMap((each) => Object.values(each.states));
    if (!states.includes('IN_PROGRESS')) return results;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a trigger by hand', () => {
  it('publishes what the schedule publishes, and leaves its next trigger', async () => {
    await create('by-hand', { 'svc-forward-x-tenant': 'acme' });
    const before = await shown('by-hand');
    const { status, body } = await ask('POST', 'by-hand/trigger');
    expect([status, body]).toEqual([
      200,
      { scheduleId: 'by-hand', messageIds: [expect.stringMatching(/^msg_/)] },
    ]);
    const received = await endpoint.received(1);
    expect(received.map(({ url, body: sent }) => [url, String(sent)])).toEqual([['/s', 'again']]);
    expect(received[0]?.headers['x-tenant']).toBe('acme');
    const after = await shown('by-hand');
    expect(after.nextScheduleTime).toBe(before.nextScheduleTime);
    expect(after).toMatchObject({ lastScheduleTime: expect.any(Number) });
  });

  it('works while the schedule is paused, and does not wake it', async () => {
    await create('paused-one');
    await ask('POST', 'paused-one/pause');
    expect(await ask('POST', 'paused-one/trigger')).toMatchObject({ status: 200 });
    await endpoint.received(1);
    const after = await shown('paused-one');
    expect(after.isPaused).toBe(true);
    expect(after).not.toHaveProperty('nextScheduleTime');
    await ask('POST', 'paused-one/resume');
    expect((await shown('paused-one')).nextScheduleTime).toBeGreaterThan(Date.now());
  });

  it('is refused where there is nothing to publish to, or no schedule', async () => {
    expect(await ask('POST', 'none-such/trigger')).toMatchObject({ status: 404 });
    await callApi(
      server,
      'POST',
      '/v2/topics/emptied/endpoints',
      {},
      JSON.stringify({ endpoints: [{ url: endpoint.url }] }),
    );
    await create('to-group', {}, 'emptied');
    await callApi(server, 'DELETE', '/v2/topics/emptied');
    expect(await ask('POST', 'to-group/trigger')).toMatchObject({
      status: 404,
      body: { error: 'URL group emptied not found' },
    });
    expect(await resultsOf('to-group')).toEqual([]);
  });

  it('publishes to none of many endpoints where it is overwritten meanwhile', async () => {
    const endpoints = Array.from({ length: 300 }, (_, at) => ({ url: `${endpoint.url}/${at}` }));
    const { dataDirectory } = server;
    const group = JSON.stringify({ endpoints });
    await callApi(server, 'POST', '/v2/topics/many/endpoints', {}, group);
    const options = { 'svc-cron': '0 0 1 1 *', 'svc-schedule-id': 'raced', 'svc-delay': '1d' };
    const overwrite = (body: Buffer) =>
      callApi(server, 'POST', '/v2/schedules/many', options, body);
    // Which of both comes first is not known: mostly the schedule is overwritten while it is read.
    for (let round = 0; round < 5; round += 1) {
      await overwrite(Buffer.alloc(8_000_000, 'x'));
      await server.stop();
      server = await startServer({ dataDirectory });
      const triggered = ask('POST', 'raced/trigger');
      await new Promise((resolve) => setTimeout(resolve, 2 * round));
      await overwrite(Buffer.from('short'));
      const { status } = await triggered;
      const canceled = await callApi(server, 'DELETE', '/v2/messages?scheduleId=raced');
      expect([status, canceled.body]).toEqual([status, { cancelled: status === 200 ? 300 : 0 }]);
      if (status !== 200) break;
    }
  });
});

describe('a trigger whose messages are more than one append takes', () => {
  it('counts behind all of them', async () => {
    const path = 'x'.repeat(8000);
    const endpoints = Array.from({ length: 300 }, (_, at) => ({
      url: `${endpoint.url}/${path}${at}`,
    }));
    const group = async (method: string, name: string, body: object) => {
      const { status } = await callApi(
        server,
        method,
        `/v2/topics/${name}`,
        {},
        JSON.stringify(body),
      );
      expect(status).toBe(200);
    };
    await group('POST', 'long/endpoints', { endpoints });
    await group('PATCH', 'long', { headers: { 'X-Long': ['x'.repeat(65_000)] } });
    await create('long', { 'svc-delay': '1d', 'svc-forward-x-own': 'x'.repeat(60_000) }, 'long');
    const { status, body } = await ask('POST', 'long/trigger');
    expect([status, (body as { messageIds: string[] }).messageIds.length]).toEqual([200, 300]);
    const { results } = (await ask('GET', 'long/results')).body as Results;
    expect(results).toMatchObject([{ isManual: true, messageCount: 300 }]);
    await callApi(server, 'DELETE', '/v2/messages?scheduleId=long');
  });
});

describe('the results of a schedule', () => {
  it('tell what came of its triggers, newest first', async () => {
    await create('triggered', { 'svc-retries': '0' });
    await ask('POST', 'triggered/trigger');
    await resultsOf('triggered');
    endpoint.answer(() => ({ status: 500 }));
    const { body } = await ask('POST', 'triggered/trigger');
    const [messageId = ''] = (body as { messageIds: string[] }).messageIds;
    const results = await resultsOf('triggered');
    const common = { isManual: true, messageCount: 1 };
    expect(results).toMatchObject([
      { ...common, states: { [messageId]: 'FAIL' } },
      { ...common, states: expect.any(Object) },
    ]);
    expect(Object.values(results[1]?.states ?? {})).toEqual(['SUCCESS']);
    const { body: one } = await ask('GET', 'triggered/results?count=1');
    expect((one as Results).results).toHaveLength(1);
    expect(await ask('GET', 'none-such/results')).toMatchObject({ status: 404 });
  });
});

describe('the times of a cron', () => {
  const from = Date.UTC(2027, 2, 27, 12);

  it('are those of its zone, also where the clock is set', async () => {
    await create('berlin', { 'svc-cron': 'CRON_TZ=Europe/Berlin 0 9 * * *' });
    const { body } = await ask('GET', `berlin/next?count=2&from=${from}`);
    expect(body).toEqual({
      scheduleId: 'berlin',
      isPaused: false,
      cron: 'CRON_TZ=Europe/Berlin 0 9 * * *',
      zone: 'Europe/Berlin',
      times: [Date.UTC(2027, 2, 28, 7), Date.UTC(2027, 2, 29, 7)],
    });
  });

  it('can be seen before there is a schedule', async () => {
    const { status, body } = await ask('POST', 'preview', {
      cron: '*/15 * * * *',
      zone: 'Asia/Kolkata',
      count: 3,
      from,
    });
    const minutes = (count: number) => from + count * 60_000;
    expect([status, body]).toEqual([
      200,
      {
        cron: 'CRON_TZ=Asia/Kolkata */15 * * * *',
        zone: expect.stringMatching(/^Asia\/(Kolkata|Calcutta)$/),
        times: [15, 30, 45].map(minutes),
      },
    ]);
    const many = await ask('POST', 'preview', { cron: '* * * * *', count: 1000 });
    expect((many.body as { times: number[] }).times).toHaveLength(1000);
  });

  it.each([
    [{ cron: '61 * * * *' }, 'the cron expression'],
    [{ cron: '0 0 30 2 *' }, 'the cron expression'],
    [{ cron: '* * * * *', zone: 'Mars/Olympus' }, 'names an unknown time zone: Mars/Olympus'],
    [{ cron: 'CRON_TZ=UTC * * * * *', zone: 'UTC' }, 'zone is given'],
    [{ cron: '* * * * *', count: 1001 }, 'count'],
    [{ cron: '* * * * *', from: 1e15 }, 'from'],
    [{}, 'cron'],
  ])('are refused to %j', async (asked, reason) => {
    const { status, body } = await ask('POST', 'preview', asked);
    expect([status, body]).toEqual([400, { error: expect.stringContaining(reason) }]);
  });
});
