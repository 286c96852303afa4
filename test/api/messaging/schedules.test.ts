import { Client } from '@upstash/qstash';
import { systemClock } from '../../../src/engine/clock.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';

silenceConsole();

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
  client = new Client({ baseUrl: server.url, token: server.token, enableTelemetry: false });
});

afterAll(() => server.remove());

beforeEach(() => {});

/** `fetch` with valid credentials: returns the status, and the body as JSON if there is one. */
async function ask(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: server.bearer, ...headers },
    ...(body !== '' && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? null : (JSON.parse(text) as unknown),
    type: response.headers.get('content-type'),
  };
}

const destination = 'https://example.com/hook';
const create = (id: string, headers: Record<string, string> = {}, body = '') =>
  ask(
    'POST',
    `/v2/schedules/${destination}`,
    { 'Svc-Cron': '0 9 * * *', 'Svc-Schedule-Id': id, ...headers },
    body,
  );

describe('the published client', () => {
  it('creates, reads, lists, pauses, resumes and deletes a schedule', async () => {
    const { scheduleId } = await client.schedules.create({
      destination,
      cron: 'CRON_TZ=Europe/Berlin 30 6 * * 1-5',
      scheduleId: 'weekdays',
      body: JSON.stringify({ wake: 'up' }),
      headers: { 'X-Tenant': 'acme' },
      method: 'PUT',
      delay: 90,
      timeout: 30,
      retries: 2,
      retryDelay: '1000 * (1 + retried)',
      callback: 'https://example.com/callback',
      failureCallback: 'https://example.com/failed',
      queueName: 'mornings',
      flowControl: { key: 'acme', rate: 10, parallelism: 2, period: '1m' },
      label: ['blue', 'green'],
    });
    expect(scheduleId).toBe('weekdays');
    const schedule = await client.schedules.get('weekdays');
    expect(schedule).toEqual({
      scheduleId: 'weekdays',
      cron: 'CRON_TZ=Europe/Berlin 30 6 * * 1-5',
      destination,
      method: 'PUT',
      createdAt: expect.any(Number),
      header: { 'Content-Type': ['application/json'], 'X-Tenant': ['acme'] },
      body: '{"wake":"up"}',
      retries: 2,
      delay: 90,
      timeout: 30,
      callback: 'https://example.com/callback',
      callbackHeader: { 'Content-Type': ['application/json'] },
      failureCallback: 'https://example.com/failed',
      failureCallbackHeader: { 'Content-Type': ['application/json'] },
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
      isPaused: false,
      queueName: 'mornings',
      label: 'blue',
      labels: ['blue', 'green'],
      flowControlKey: 'acme',
      parallelism: 2,
      rate: 10,
      ratePerSecond: 10,
      period: 60,
      retryDelayExpression: '1000 * (1 + retried)',
      nextScheduleTime: expect.any(Number),
    });
    expect((await client.schedules.list()).map((each) => each.scheduleId)).toContain('weekdays');

    await client.schedules.pause({ schedule: 'weekdays' });
    const paused = await client.schedules.get('weekdays');
    expect(paused.isPaused).toBe(true);
    expect(paused).not.toHaveProperty('nextScheduleTime');
    await client.schedules.resume({ schedule: 'weekdays' });
    expect((await client.schedules.get('weekdays')).isPaused).toBe(false);

    await client.schedules.delete('weekdays');
    await expect(client.schedules.get('weekdays')).rejects.toMatchObject({ status: 404 });
    expect((await client.schedules.list()).map((each) => each.scheduleId)).not.toContain(
      'weekdays',
    );
  });

  it('overwrites all settings of a schedule with the same id', async () => {
    const cron = '0 0 1 1 *';
    await client.schedules.create({
      destination,
      cron,
      scheduleId: 'twice',
      body: 'old',
      label: 'old',
    });
    const { createdAt } = await client.schedules.get('twice');
    await client.schedules.create({ destination: `${destination}/new`, cron, scheduleId: 'twice' });
    const schedule = await client.schedules.get('twice');
    expect(schedule).toMatchObject({ createdAt, destination: `${destination}/new` });
    expect(schedule).not.toHaveProperty('body');
    expect(schedule).not.toHaveProperty('label');
  });

  it('sees digests of what it asked to be redacted', async () => {
    await client.schedules.create({
      destination,
      cron: '0 0 1 1 *',
      scheduleId: 'secret',
      body: 'secret',
      headers: { 'X-Key': 'secret', 'X-Tenant': 'acme' },
      redact: { body: true, header: ['x-key'] },
    });
    const digest = 'REDACTED:2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b';
    expect(await client.schedules.get('secret')).toMatchObject({
      body: digest,
      header: { 'X-Key': [digest], 'X-Tenant': ['acme'] },
    });
  });

  it('receives the reason why a schedule is refused', async () => {
    const refused = (cron: string, scheduleId: string) =>
      client.schedules.create({ destination, cron, scheduleId });
    await expect(refused('0 0 30 2 *', 'never')).rejects.toMatchObject({ status: 400 });
    await expect(refused('*/61 * * * *', 'steps')).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('the cron expression has steps of 61 in its minutes'),
    });
    await expect(refused('* * * * * *', 'seconds')).rejects.toMatchObject({ status: 400 });
    await expect(refused('* * * * *', 'no name')).rejects.toMatchObject({ status: 400 });
    expect((await client.schedules.list()).map(({ scheduleId }) => scheduleId)).not.toContain(
      'never',
    );
  });
});

describe('/v2/schedules', () => {
  it('answers with exactly the settings that are given', async () => {
    expect(await create('plain')).toMatchObject({ status: 200, body: { scheduleId: 'plain' } });
    const { status, body, type } = await ask('GET', '/v2/schedules/plain');
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      scheduleId: 'plain',
      cron: '0 9 * * *',
      destination,
      method: 'POST',
      createdAt: expect.any(Number),
      header: {},
      retries: 3,
      callerIP: '127.0.0.1',
      callerIp: '127.0.0.1',
      isPaused: false,
      nextScheduleTime: expect.any(Number),
    });
    const list = await ask('GET', '/v2/schedules');
    expect([list.status, list.type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(list.body).toContainEqual(body);
  });

  it.each(['PATCH', 'POST'])('pauses and resumes by %s', async (method) => {
    await create('pausable');
    const isPaused = async () =>
      ((await ask('GET', '/v2/schedules/pausable')).body as { isPaused: boolean }).isPaused;
    const empty = { status: 200, body: null };
    for (let twice = 0; twice < 2; twice += 1) {
      expect(await ask(method, '/v2/schedules/pausable/pause')).toMatchObject(empty);
    }
    expect(await isPaused()).toBe(true);
    await create('pausable');
    expect(await isPaused()).toBe(true);
    for (let twice = 0; twice < 2; twice += 1) {
      expect(await ask(method, '/v2/schedules/pausable/resume')).toMatchObject(empty);
    }
    expect(await isPaused()).toBe(false);
  });

  it.each([
    ['GET', ''],
    ['DELETE', ''],
    ['PATCH', '/pause'],
    ['POST', '/pause'],
    ['PATCH', '/resume'],
    ['POST', '/resume'],
  ])('answers %s of an unknown schedule%s with 404', async (method, action) => {
    expect(await ask(method, `/v2/schedules/nobody${action}`)).toMatchObject({
      status: 404,
      body: { error: 'schedule nobody not found' },
    });
  });

  it('deletes a schedule only once', async () => {
    await create('short');
    expect(await ask('DELETE', '/v2/schedules/short')).toMatchObject({ status: 200, body: null });
    expect((await ask('DELETE', '/v2/schedules/short')).status).toBe(404);
  });

  it('shows binary contents in base64', async () => {
    const response = await fetch(`${server.url}/v2/schedules/${destination}`, {
      method: 'POST',
      headers: {
        authorization: server.bearer,
        'Svc-Cron': '0 9 * * *',
        'Svc-Schedule-Id': 'bytes',
      },
      body: new Uint8Array([255, 0, 254]),
    });
    expect(response.status).toBe(200);
    const { body } = await ask('GET', '/v2/schedules/bytes');
    expect(body).toMatchObject({ bodyBase64: '/wD+' });
    expect(body).not.toHaveProperty('body');
  });

  it('keeps schedules across a restart, including a pause', async () => {
    const first = await startServer();
    const authorized = { authorization: first.bearer };
    const at = (url: string, path: string, method = 'GET', headers = {}) =>
      fetch(`${url}/v2/schedules/${path}`, { method, headers: { ...authorized, ...headers } });
    const svc = { 'Svc-Cron': '0 9 * * *', 'Svc-Schedule-Id': 'kept' };
    await at(first.url, destination, 'POST', svc);
    await at(first.url, 'kept/pause', 'PATCH');
    const before = await (await at(first.url, 'kept')).json();
    await first.stop();
    const second = await startServer({ dataDirectory: first.dataDirectory });
    expect(await (await at(second.url, 'kept')).json()).toEqual(before);
    expect(before).toMatchObject({ isPaused: true });
    await second.remove();
  });
});

describe('a trigger', () => {
  it('delivers, and its schedule then shows the time and the result', async () => {
    const endpoint = await RecordingEndpoint.start();
    let ahead = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const triggering = await startServer({ ports: { clock } });
    // Whole minutes are far apart, so the clock is set to just before one.
    ahead = 58_000 - (systemClock.now() % 60_000);
    const headers = { authorization: triggering.bearer };
    await fetch(`${triggering.url}/v2/schedules/${endpoint.url}/hook`, {
      method: 'POST',
      headers: {
        ...headers,
        'Upstash-Cron': '* * * * *',
        'Upstash-Schedule-Id': 'minutely',
        'Upstash-Forward-X-Tenant': 'acme',
        'Upstash-Callback': `${endpoint.url}/called`,
      },
      body: 'tick',
    });
    const [call, report] = await endpoint.received(2);
    expect(JSON.parse(String(report?.body))).toMatchObject({ scheduleId: 'minutely' });
    expect(call?.body.toString()).toBe('tick');
    // In the dialect in which the schedule was created, which is not that of the server.
    expect(call?.headers).toMatchObject({ 'upstash-schedule-id': 'minutely', 'x-tenant': 'acme' });
    expect(report?.headers).toHaveProperty('upstash-signature');
    const messageId = String(call?.headers['upstash-message-id']);
    const show = async () =>
      (await (
        await fetch(`${triggering.url}/v2/schedules/minutely`, { headers })
      ).json()) as Record<string, unknown>;
    let schedule = await show();
    while (JSON.stringify(schedule['lastScheduleStates']).includes('IN_PROGRESS')) {
      schedule = await show();
    }
    expect(schedule['lastScheduleStates']).toEqual({ [messageId]: 'SUCCESS' });
    const { lastScheduleTime, nextScheduleTime } = schedule as Record<string, number>;
    expect((nextScheduleTime ?? 0) % 60_000).toBe(0);
    expect((nextScheduleTime ?? 0) - (lastScheduleTime ?? 0)).toBeGreaterThan(0);
    expect((nextScheduleTime ?? 0) - (lastScheduleTime ?? 0)).toBeLessThanOrEqual(60_000);
    await endpoint.stop();
    await triggering.remove();
  }, 90_000);
});
