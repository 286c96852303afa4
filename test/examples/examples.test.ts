import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killedAtLast } from '../support/leftovers.js';
import { startServer, type TestServer } from '../support/server.js';

const examples = join(import.meta.dirname, '../../examples');
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Programs and the examples that they run; a machine without Python runs the others. */
const programs: readonly (readonly [program: string, example: string])[] = [
  [process.execPath, 'node/orders.mjs'],
  ...(hasPython ? ([['python3', 'python/orders.py']] as const) : []),
];

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
});
afterAll(() => server.remove());

const environment = (key: string) => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  QSTASH_URL: server.url,
  QSTASH_TOKEN: server.token,
  QSTASH_CURRENT_SIGNING_KEY: key,
  QSTASH_NEXT_SIGNING_KEY: server.credentials.nextSigningKey,
});

/** Waits until one of the rows of a log says so. */
async function untilAnswered401(target: string): Promise<void> {
  for (;;) {
    const headers = { authorization: server.bearer };
    const response = await fetch(`${server.url}${target}`, { headers });
    const { logs } = (await response.json()) as { logs: readonly { responseStatus?: number }[] };
    if (logs.some(({ responseStatus }) => responseStatus === 401)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it.each(programs)('%s %s publishes an order and takes its delivery', async (program, example) => {
  const env = environment(server.credentials.currentSigningKey);
  const { stdout } = await promisify(execFile)(program, [join(examples, example)], { env });
  expect(stdout).toContain('paid order 7');
  expect(stdout).toMatch(/^published msg_/m);
});

it.each(['express', 'hono'])('%s takes a delivery, and a workflow to its end', async (name) => {
  const env = environment(server.credentials.currentSigningKey);
  const words = [join(examples, name, 'orders.mjs')];
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  expect(stdout).toMatch(/^published msg_/m);
  expect(stdout).toMatch(/^paid order 7$/m);
  expect(stdout).toMatch(/^shipped P-7 with 2$/m);
});

it.each(['express', 'hono'])('%s answers what another key has signed with 401', async (name) => {
  const env = { ...environment('a-key-that-signs-nothing-here'), QSTASH_NEXT_SIGNING_KEY: 'none' };
  const running = execFile(process.execPath, [join(examples, name, 'orders.mjs')], { env });
  killedAtLast(running);
  let output = '';
  for await (const chunk of running.stdout ?? []) {
    output += chunk;
    if (/^published msg_/m.test(output)) break;
  }
  const id = /^published (msg_\w+)/m.exec(output)?.[1] ?? '';
  await untilAnswered401(`/v2/logs?messageId=${id}&state=ERROR`);
});

it('an example answers a delivery that another key has signed with 401', async () => {
  const env = environment('a-key-that-signs-nothing-here');
  const running = execFile(process.execPath, [join(examples, 'node/orders.mjs')], { env });
  killedAtLast(running);
  await untilAnswered401('/v2/logs?state=ERROR&order=earliestFirst');
});
