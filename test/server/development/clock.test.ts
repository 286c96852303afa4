import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkflow } from '@upstash/workflow/cloudflare';
import { pino } from 'pino';
import { systemClock } from '../../../src/engine/clock.js';
import { readAhead } from '../../../src/server/development/kept-clock.js';
import { MovableClock } from '../../../src/server/development/movable-clock.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-api.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { runProgram } from '../../support/program/program.js';
import { silenceConsole } from '../../support/program/silent-console.js';
import { startServer, type TestServer } from '../../support/server.js';
import { WorkflowApp } from '../../support/workflows/workflow-app.js';

silenceConsole();

const day = 86_400_000;
let server: TestServer;
let endpoint: RecordingEndpoint;

/** Starts a server as `stepwell dev` does. */
async function startDevelopment(dataDirectory?: string): Promise<TestServer> {
  const keptMs = dataDirectory === undefined ? 0 : await readAhead(nodeDisk, dataDirectory);
  const clock = new MovableClock(systemClock, keptMs);
  const ports = { clock, networkClock: clock.outside };
  return startServer({ ports, ...(dataDirectory !== undefined && { dataDirectory }) });
}

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start();
});
afterAll(() => endpoint.stop());
beforeEach(async () => {
  server = await startDevelopment();
});
afterEach(() => server.remove());

const forward = (duration: string) => callLog(server, '/admin/clock', { forward: duration });

/** Settles when the endpoint was called with this path. */
async function arrival(path: string) {
  for (;;) {
    const found = endpoint.requests.find(({ url }) => url === path);
    if (found !== undefined) return found;
    await endpoint.next();
  }
}

it('a workflow that sleeps three days ends when the clock was moved by three days', async () => {
  const sleeping = createWorkflow(async (context) => {
    await context.sleep('three days', '3d');
    return 'awake';
  });
  const app = await WorkflowApp.start(server, { sleeping });
  const id = await app.trigger('sleeping');
  const why = `/v2/workflows/runs/${id}/why`;
  while (((await callApi(server, 'GET', why)).body as { reason?: string }).reason !== 'sleep') {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await answered(server, ['clock', '+3d']);
  expect(await app.outcome(id)).toMatchObject({ state: 'RUN_SUCCESS', response: 'awake' });
  await app.stop();
});

it('delays and schedules come due, and a running attempt is not cut', async () => {
  let answer: () => void = () => undefined;
  endpoint.answer(({ url }) =>
    url === '/slow' ? new Promise((resolve) => (answer = () => resolve({}))) : {},
  );
  const publish = (path: string, headers = {}) =>
    callApi(server, 'POST', `/v2/publish/${endpoint.url}${path}`, headers);
  const slow = (await publish('/slow')).body as { messageId: string };
  await arrival('/slow');
  await publish('/delayed', { 'svc-delay': '2d' });
  const cron = { 'svc-cron': '0 0 * * *' };
  await callApi(server, 'POST', `/v2/schedules/${endpoint.url}/scheduled`, cron);
  await forward('3d');
  await arrival('/delayed');
  await arrival('/scheduled');
  answer();
  const log = `/v2/logs?messageId=${slow.messageId}&order=earliestFirst`;
  let rows: readonly { state: string; time: number }[] = [];
  while (rows.at(-1)?.state !== 'DELIVERED') {
    rows = ((await callApi(server, 'GET', log)).body as { logs: typeof rows }).logs;
  }
  expect(rows.map(({ state }) => state)).toEqual(['CREATED', 'ACTIVE', 'DELIVERED']);
  const times = rows.map(({ time }) => time);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(3 * day);
});

it('a consumer that was silent for the moved time has left its group', async () => {
  await callLog(server, '/produce', { topic: 'rides', value: 'x' });
  await callLog(server, '/consume/readers/one/rides?timeout=0', undefined);
  const members = async () => {
    const { body } = await callLog(server, '/admin/groups/readers', undefined);
    return (body as { members: readonly unknown[] }).members.length;
  };
  expect(await members()).toBe(1);
  await forward('1d');
  while ((await members()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
});

it('a folder keeps its moved time, and start refuses to serve it', async () => {
  await forward('3d');
  await server.stop();
  const { dataDirectory } = server;
  server = await startDevelopment(dataDirectory);
  const [shown] = await answered(server, ['clock']);
  expect(shown).toMatchObject({ aheadMs: 3 * day });
  expect(Number(shown?.['now'])).toBeGreaterThan(Date.now() + 2 * day);
  await server.stop();
  const { code, stderr } = await runProgram(dataDirectory, ['start']);
  expect(code).toBe(64);
  expect(stderr).toContain('is 259200 s ahead of this machine');
});

it('a folder without its clock.json continues from the time of its last event', async () => {
  await forward('3d');
  const accepted = await callApi(server, 'POST', `/v2/publish/${endpoint.url}/then`, {
    'svc-delay': '1h',
  });
  expect(accepted.status).toBe(200);
  await server.stop();
  const { dataDirectory } = server;
  await rm(join(dataDirectory, 'clock.json'));
  server = await startDevelopment(dataDirectory);
  const [shown] = await answered(server, ['clock']);
  expect(Number(shown?.['now'])).toBeGreaterThan(Date.now() + 2 * day);
  expect(await readAhead(nodeDisk, dataDirectory)).toBe(shown?.['aheadMs']);
  await forward('1h');
  await arrival('/then');
});

it('start serves such a folder with a warning, as after a clock that was set back', async () => {
  await forward('3d');
  const body = { topic: 'rides', value: 'x' };
  expect((await callLog(server, '/produce', body)).status).toBe(200);
  await server.stop();
  const { dataDirectory } = server;
  await rm(join(dataDirectory, 'clock.json'));
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  server = await startServer({ dataDirectory, ports: { log } });
  const warned = lines.filter((line) => line.includes('later than the clock of this machine'));
  expect(warned).toHaveLength(1);
  expect(JSON.parse(warned[0] ?? '').behindMs).toBeGreaterThan(2 * day);
  expect(await readAhead(nodeDisk, dataDirectory)).toBe(0);
  expect((await callLog(server, '/produce', body)).status).toBe(200);
});

it('a duration that is invalid or longer than ten years changes nothing', async () => {
  for (const duration of ['-3d', 'soon', '11y']) {
    expect((await forward(duration)).status).toBe(400);
  }
  expect((await callLog(server, '/admin/clock', undefined)).body).toMatchObject({ aheadMs: 0 });
});

it('start has no such route, and the command says so', async () => {
  const usual = await startServer();
  const { code, stderr } = await runClient(usual, ['clock', '+3d']);
  await usual.remove();
  expect([code, stderr]).toEqual([66, 'stepwell: only the time of stepwell dev can be moved\n']);
});
