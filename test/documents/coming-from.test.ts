import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@upstash/qstash';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { killedAtLast } from '../support/leftovers.js';
import { type ReadmeBlock, readmeBlocks, stepsOf } from '../support/program/readme-blocks.js';
import { freePort } from '../support/program/server-process.js';
import { startServer, type TestServer } from '../support/server.js';

const pages = ['hosted-service', 'bullmq', 'kafka-rest'] as const;
const root = join(import.meta.dirname, '../..');

let folder = '';
let server: TestServer;
let blocks: readonly ReadmeBlock[] = [];

beforeAll(async () => {
  // As it is by default: the requests of the SDKs say which words they expect.
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'stepwell-coming-from-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  blocks = pages.flatMap((page) => readmeBlocks(`docs/coming-from/${page}.md`));
  for (const { title, text } of blocks) {
    if (title.endsWith('.mjs')) await writeFile(join(folder, title), text);
  }
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true });
});

/** What `stepwell env` prints for an application. */
const applicationEnvironment = () => ({
  QSTASH_URL: server.url,
  QSTASH_TOKEN: server.token,
  QSTASH_CURRENT_SIGNING_KEY: server.credentials.currentSigningKey,
  QSTASH_NEXT_SIGNING_KEY: server.credentials.nextSigningKey,
  STEPWELL_REST_USERNAME: server.credentials.restUsername,
  STEPWELL_REST_PASSWORD: server.credentials.restPassword,
});

/** A program that runs in the folder of the pages. */
function begun(command: string, args: readonly string[], environment = {}): ChildProcess {
  const env = { PATH: process.env['PATH'], ...applicationEnvironment(), ...environment };
  return killedAtLast(spawn(command, args, { cwd: folder, env }));
}

/** What a program prints that ends by itself; fails with all of it where the program fails. */
async function printed(child: ChildProcess, input = ''): Promise<string> {
  let text = '';
  let errors = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  child.stdin?.end(input);
  const [code] = await once(child, 'close');
  expect([code, code === 0 ? '' : errors]).toEqual([0, '']);
  return text;
}

const node = (file: string, args: readonly string[] = [], environment = {}) =>
  begun(process.execPath, [file, ...args], environment);

describe('coming from the hosted service', () => {
  it('a program publishes without another change than its environment', async () => {
    const endpoint = await RecordingEndpoint.start();
    const output = await printed(node('publish.mjs', [], { TARGET: `${endpoint.url}/hook` }));
    expect(output).toMatch(/^published msg_/);
    while (endpoint.requests.length === 0) await endpoint.next();
    expect(endpoint.requests[0]?.body.toString()).toBe('{"order":1}');
    await endpoint.stop();
  });

  it('schedules, groups and queues move, and the script may run again', async () => {
    const old = await startServer({ environment: { STEPWELL_DIALECT: 'upstash' } });
    const there = new Client({ baseUrl: old.url, token: old.token });
    await there.queue({ queueName: 'mails' }).upsert({ parallelism: 3 });
    await there.urlGroups.addEndpoints({
      name: 'team',
      endpoints: [{ url: 'http://127.0.0.1:9000/a', name: 'first' }],
    });
    await there.schedules.create({
      scheduleId: 'report',
      destination: 'http://127.0.0.1:9000/report',
      cron: 'CRON_TZ=Europe/Berlin 30 6 * * MON-FRI',
      method: 'PUT',
      headers: { 'content-type': 'text/plain', 'x-tenant': 'seven' },
      body: 'the report',
      retries: 5,
      retryDelay: '1000 * pow(2, retried)',
      timeout: 30,
      delay: 60,
      label: 'reports',
      flowControl: { key: 'reports', parallelism: 2, rate: 10, period: 60 },
    });
    const environment = { OLD_URL: old.url, OLD_TOKEN: old.token };
    for (const _ of [1, 2]) {
      expect(await printed(node('move.mjs', [], environment))).toBe('schedule report\n');
    }
    const here = new Client({ baseUrl: server.url, token: server.token });
    const [was] = await there.schedules.list();
    const [is] = await here.schedules.list();
    const { nextScheduleTime: _, ...same } = was ?? {};
    expect(is).toEqual({ ...same, createdAt: expect.any(Number), isPaused: true });
    expect(await here.queue().list()).toMatchObject([{ name: 'mails', parallelism: 3 }]);
    const [group] = await there.urlGroups.list();
    expect(await here.urlGroups.list()).toMatchObject([{ endpoints: group?.endpoints }]);
    await old.remove();
  });
});

describe('coming from BullMQ', () => {
  it('a worker takes jobs as they were added, and refuses one for good', async () => {
    const environment = { WORKER_PORT: String(await freePort()) };
    const worker = node('worker.mjs', [], environment);
    let output = '';
    worker.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    const added = await printed(node('add.mjs', ['ada@example.com', ''], environment));
    expect(added).toMatch(/^added msg_\w+\nadded msg_\w+\n$/);
    const client = new Client({ baseUrl: server.url, token: server.token });
    const letters = async () => (await client.dlq.listMessages()).messages;
    while ((await letters()).length === 0 || !output.includes('ada')) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await letters()).toMatchObject([{ responseStatus: 489, label: 'mails' }]);
    expect(output).toContain('mail to ada@example.com attempt 1');
    worker.kill();
    await once(worker, 'close');
  });
});

describe('coming from a Kafka REST proxy', () => {
  it('two requests produce and consume, and the client does the same', async () => {
    const steps = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => stepsOf(text));
    const answers: string[] = [];
    for (const { command } of steps) {
      answers.push(await printed(begun('sh', ['-ec', command.replace('curl ', 'curl -sS ')])));
    }
    expect(JSON.parse(answers[0] ?? '')).toMatchObject([{ topic: 'rides', offset: 0 }]);
    expect(JSON.parse(answers[1] ?? '')).toMatchObject([{ key: 'u7', value: '{"km":12}' }]);
    const lines = (await printed(node('ride.mjs'))).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['u7 {"km":12}', 'u8 {"km":3}']));
  });

  it('the records of a topic move with their keys, headers and times, once', async () => {
    const record = {
      topic: 'moved',
      partition: 1,
      offset: 40,
      tstype: 'create',
      ts: 1_700_000_000_000,
    };
    const lines = [
      { ...record, headers: ['h', 'one', 'i', 'two'], key: 'k', payload: 'first' },
      { ...record, offset: 41, key: null, payload: 'second' },
      { ...record, partition: 0, offset: 7, key: 'k2', payload: 'third' },
    ];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    for (const _ of [1, 2]) {
      const output = await printed(node('move-topic.mjs'), input);
      expect(output).toBe('moved-1: 2 records from 40 on\nmoved-0: 1 records from 7 on\n');
    }
    const { restUsername, restPassword } = server.credentials;
    const pair = Buffer.from(`${restUsername}:${restPassword}`).toString('base64');
    const response = await fetch(`${server.url}/fetch`, {
      method: 'POST',
      headers: { authorization: `Basic ${pair}` },
      body: '{"topic":"moved","partition":1,"offset":0}',
    });
    expect(await response.json()).toMatchObject([
      {
        offset: 0,
        timestamp: record.ts,
        key: 'k',
        value: 'first',
        headers: [
          { key: 'h', value: 'one' },
          { key: 'i', value: 'two' },
        ],
      },
      { offset: 1, timestamp: record.ts, value: 'second' },
    ]);
  });
});
