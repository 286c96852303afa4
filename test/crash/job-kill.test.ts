import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobObject } from '../../src/messaging/jobs/job-object.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import {
  authorization,
  basic,
  freePort,
  ServerProcess,
} from '../support/program/server-process.js';

/** More rounds for longer runs: `KILL_ROUNDS=100 npm run jest -- test/crash`. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2);
const letters = 60;
/** Deliveries to this machine are tried. */
const environment = { STEPWELL_ALLOW_NETWORKS: '127.0.0.0/8' };

let server: ServerProcess;

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: path.startsWith('/admin') ? basic : authorization },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  const text = await response.text();
  return path.startsWith('/admin') ? text : JSON.parse(text);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What the journal has of one type, as its lines. */
async function eventsOf(type: string): Promise<readonly { id: string; done: number }[]> {
  const text = (await call('GET', `/admin/journal?type=${type}&count=1000`)) as string;
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { id: string; done: number });
}

it('a job goes on where it was when the server is killed, and takes nothing twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-job-kill-'));
  const endpoint = await RecordingEndpoint.start();
  endpoint.answerInTurn({ status: 500 });
  const port = await freePort();
  server = await ServerProcess.start(folder, port, environment);
  const items = Array.from({ length: letters }, () => ({
    destination: endpoint.url,
    headers: { 'svc-retries': '0' },
  }));
  await call('POST', '/v2/batch', items);
  await until(async () => {
    const { messages } = (await call('GET', '/v2/dlq')) as { messages: unknown[] };
    return messages.length === letters;
  });
  const job = { verb: 'retry', over: 'deadLetters', filter: {}, rate: 50 };
  const { jobId } = (await call('POST', '/v2/jobs', job)) as JobObject;
  const progress = () => call('GET', `/v2/jobs/${jobId}`) as Promise<JobObject>;
  let seen = 0;
  for (let round = 0; round < rounds; round += 1) {
    await until(async () => {
      const { done, state } = await progress();
      const isFurther = done > seen || state === 'DONE';
      // What was shown is never taken back.
      expect(done).toBeGreaterThanOrEqual(seen);
      seen = done;
      return isFurther;
    });
    await server.kill();
    server = await ServerProcess.start(folder, port, environment);
  }
  await until(async () => (await progress()).state === 'DONE');
  expect(await progress()).toMatchObject({ done: letters, refused: 0 });
  const retried = (await eventsOf('DeadLetterRetried')).map(({ id }) => id);
  expect(retried).toHaveLength(letters);
  expect(new Set(retried).size).toBe(letters);
  const counted = (await eventsOf('JobAdvanced')).reduce((sum, { done }) => sum + done, 0);
  expect(counted).toBe(letters);
  await server.kill('SIGTERM');
  await endpoint.stop();
  await rm(folder, { recursive: true });
}, 300_000);
