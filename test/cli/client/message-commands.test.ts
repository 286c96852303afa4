import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { killedAtLast } from '../../support/leftovers.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { program } from '../../support/program/program.js';
import { startServer, type TestServer } from '../../support/server.js';

interface Letters {
  readonly messages: readonly unknown[];
}

let server: TestServer;
let endpoint: RecordingEndpoint;
let folder = '';
/** The status that the path `/fails` answers. */
let failing = 500;

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start(({ url }) => ({
    status: url === '/fails' ? failing : 200,
  }));
  folder = await mkdtemp(join(tmpdir(), 'stepwell-cli-'));
});
afterAll(async () => {
  await endpoint.stop();
  await server.remove();
  await rm(folder, { recursive: true });
});

const run = (...words: string[]) => answered(server, words);

it('msg publish sends a file with options, and --watch follows it to its end', async () => {
  const file = join(folder, 'order.json');
  await writeFile(file, '{"order":1}');
  const rows = await run(
    ...['msg', 'publish', `${endpoint.url}/hook`, '-d', `@${file}`, '-H', 'X-Order: 1'],
    ...['--content-type', 'application/json', '--label', 'order', '--watch'],
  );
  expect(rows[0]).toMatchObject({ url: `${endpoint.url}/hook` });
  expect(rows.slice(1).map(({ state }) => state)).toEqual(['CREATED', 'ACTIVE', 'DELIVERED']);
  const delivered = endpoint.requests.find(({ url }) => url === '/hook');
  expect(delivered?.body.toString()).toBe('{"order":1}');
  expect(delivered?.headers['x-order']).toBe('1');
  expect(delivered?.headers['content-type']).toBe('application/json');
});

it('msg ls, get, why and cancel work on a message that waits', async () => {
  const [published] = await run('msg', 'publish', endpoint.url, '--delay', '1h', '--label', 'w');
  const id = String(published?.['messageId']);
  expect(await run('msg', 'ls', '--label', 'w')).toMatchObject([
    { messageId: id, state: 'DELAYED' },
  ]);
  expect(await run('msg', 'ls', '--label', 'other')).toEqual([]);
  expect(await run('msg', 'why', id)).toMatchObject([{ messageId: id, reason: 'delayed' }]);
  expect(await run('msg', 'get', id)).toMatchObject([{ messageId: id, label: 'w' }]);
  expect(await run('msg', 'cancel', id)).toEqual([{ cancelled: 1 }]);
  expect(await run('msg', 'get', id)).toMatchObject([{ messageId: id, state: 'CANCELED' }]);
});

it('an id that is empty, or a step of a path, matches no messages', async () => {
  const [published] = await run('msg', 'publish', endpoint.url, '--delay', '1h');
  const id = String(published?.['messageId']);
  for (const words of [
    ['msg', 'cancel', ''],
    ['msg', 'cancel', '.'],
    ['msg', 'cancel', '', ''],
  ]) {
    const { code, stderr } = await runClient(server, words);
    expect([code, stderr]).toEqual([64, expect.stringMatching(/is neither an id|is empty|^$/)]);
  }
  expect(await run('msg', 'get', id)).toMatchObject([{ state: 'DELAYED' }]);
  await run('msg', 'cancel', id);
});

it('a destination arrives as it is written', async () => {
  const url = `${endpoint.url}/a/%2e%2e//b%20c?q=%3F&upstash-x=1`;
  const [published] = await run('msg', 'publish', url, '--delay', '1h');
  expect(published).toMatchObject({ url });
  await run('msg', 'cancel', String(published?.['messageId']));
  // An origin is normalised to one spelling; the path and the query are not changed.
  const { port } = new URL(endpoint.url);
  const spelt = ['msg', 'publish', `HTTP://LocalHost:${port}/a/../b//./c`, '--watch'];
  expect((await run(...spelt))[0]).toMatchObject({ url: `http://localhost:${port}/a/../b//./c` });
  expect(endpoint.requests.at(-1)?.url).toBe('/a/../b//./c');
});

it('a body file may be a link or a pipe', async () => {
  const [file, link] = [join(folder, 'body.txt'), join(folder, 'link.txt')];
  await writeFile(file, 'linked');
  await symlink(file, link);
  const shell = `"${process.execPath}" "${program}" msg publish "$1" --delay 1h -d`;
  const publish = `${shell} @"$2"; ${shell} @<(printf piped)`;
  const child = spawn('bash', ['-c', publish, 'bash', endpoint.url, link], {
    env: { PATH: process.env['PATH'], STEPWELL_URL: server.url, STEPWELL_TOKEN: server.token },
  });
  let said = '';
  for await (const text of child.stdout.setEncoding('utf8')) said += text;
  const ids = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).messageId as string);
  const bodies = await Promise.all(
    ids.map(async (id) => (await run('msg', 'get', id))[0]?.['body']),
  );
  expect(bodies).toEqual(['linked', 'piped']);
});

it('msg deliver starts the next attempt of a delayed message', async () => {
  const url = `${endpoint.url}/now`;
  const [published] = await run('msg', 'publish', url, '--delay', '1h');
  const id = String(published?.['messageId']);
  // A message that is gone does not keep the ones after it from being tried.
  const both = await runClient(server, ['msg', 'deliver', 'msg_gone', id]);
  expect(JSON.parse(both.stdout)).toMatchObject({ messageId: id });
  expect(both.stderr).toContain('1 of 2 messages do not exist');
  expect(both.code).toBe(66);
  while (!endpoint.requests.some((request) => request.url === '/now')) await endpoint.next();
  const { code } = await runClient(server, ['msg', 'deliver', 'msg_none']);
  expect(code).toBe(66);
});

it('dlq ls --by error counts messages with the same failure', async () => {
  const url = `${endpoint.url}/fails`;
  const headers = { 'svc-retries': '0', 'svc-label': 'alike' };
  for (const _ of [1, 2]) await callApi(server, 'POST', `/v2/publish/${url}`, headers);
  const query = '/v2/dlq?label=alike';
  while (((await callApi(server, 'GET', query)).body as Letters).messages.length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await run('dlq', 'ls', '--by', 'error', '--label', 'alike')).toMatchObject([
    { count: 2, responseStatus: 500, origin: endpoint.url },
  ]);
  await callApi(server, 'DELETE', query);
  expect((await runClient(server, ['dlq', 'ls', '--by', 'size'])).code).toBe(64);
});

it('dlq ls, export, retry and delete take dead letters by filter', async () => {
  const url = `${endpoint.url}/fails`;
  for (const label of ['a', 'b']) {
    await runClient(server, ['msg', 'publish', url, '--retries', '0', '--label', label, '--watch']);
  }
  expect(await run('dlq', 'ls', '--to', url)).toHaveLength(2);
  expect(await run('dlq', 'export', '--label', 'a')).toMatchObject([{ responseStatus: 500 }]);
  for (const since of ['-7', '7', '2026', 'yesterday']) {
    const words = ['dlq', 'delete', '--all', `--since=${since}`];
    const { code, stderr } = await runClient(server, words);
    expect([since, code]).toEqual([since, 64]);
    expect(stderr).toContain('Write a time as 2027-01-31');
  }
  expect(await run('dlq', 'ls', '--to', url, '--since', '2020-01-31T08:00Z')).toHaveLength(2);
  expect(await run('dlq', 'ls', '--to', url, '--since', '4102444800000')).toEqual([]);
  const named = await runClient(server, ['dlq', 'retry']);
  expect([named.code, named.stderr]).toEqual([
    64,
    'stepwell: give the ids of dead letters, or --all\n',
  ]);
  expect(await run('dlq', 'retry', '--all', '--label', 'a', '--dry-run')).toHaveLength(1);
  expect(await run('dlq', 'ls', '--to', url)).toHaveLength(2);
  failing = 200;
  expect(await run('dlq', 'retry', '--all', '--label', 'a', '--rate', '5/s')).toEqual([
    { retried: 1, refused: 0, jobId: expect.stringMatching(/^job_/) },
  ]);
  const [letter] = await run('dlq', 'ls', '--label', 'b');
  const id = String(letter?.['dlqId']);
  expect(await run('dlq', 'delete', id)).toMatchObject([{ deleted: 1, refused: 0 }]);
  const gone = await runClient(server, ['dlq', 'delete', id]);
  expect([gone.code, gone.stderr]).toEqual([66, `stepwell: dead letter ${id} not found\n`]);
  const { body } = await callApi(server, 'GET', '/v2/jobs');
  const jobs = (body as { jobs: { verb: string; rate?: number; filter: object }[] }).jobs;
  expect(jobs.map(({ verb, rate = null }) => [verb, rate])).toEqual([
    ['delete', null],
    ['delete', null],
    ['retry', 5],
  ]);
  expect(jobs.at(-1)?.filter).toEqual({ label: ['a'] });
  expect(await run('dlq', 'ls', '--to', url)).toEqual([]);
});

it('sched create, ls, pause, resume and delete manage a schedule', async () => {
  const cron = ['--cron', '0 9 * * 1-5', '--zone', 'Europe/Berlin'];
  expect(await run('sched', 'create', endpoint.url, '--id', 'daily', ...cron)).toEqual([
    { scheduleId: 'daily' },
  ]);
  expect(await run('sched', 'ls')).toMatchObject([
    { scheduleId: 'daily', cron: 'CRON_TZ=Europe/Berlin 0 9 * * 1-5', isPaused: false },
  ]);
  await run('sched', 'pause', 'daily');
  expect(await run('sched', 'get', 'daily')).toMatchObject([{ isPaused: true }]);
  await run('sched', 'resume', 'daily');
  await run('sched', 'delete', 'daily');
  expect(await run('sched', 'ls')).toEqual([]);
});

it('sched next says when a schedule triggers, and trigger publishes now', async () => {
  const headers = { 'svc-schedule-id': 'hourly', 'svc-cron': 'CRON_TZ=Asia/Tokyo 0 * * * *' };
  await callApi(server, 'POST', `/v2/schedules/${endpoint.url}`, headers);
  const [next] = await run('sched', 'next', 'hourly', '--count', '3');
  expect(next).toMatchObject({ scheduleId: 'hourly', zone: 'Asia/Tokyo', isPaused: false });
  expect(next?.['times']).toHaveLength(3);
  const [triggered] = await run('sched', 'trigger', 'hourly');
  expect(triggered?.['messageIds']).toHaveLength(1);
  await callApi(server, 'DELETE', '/v2/schedules/hourly');
});

it('queue set, ls, pause and delete manage a queue', async () => {
  await run('queue', 'set', 'invoices', '--parallelism', '4');
  await run('queue', 'pause', 'invoices');
  expect(await run('queue', 'ls')).toMatchObject([
    { name: 'invoices', parallelism: 4, paused: true, lag: 0 },
  ]);
  await run('queue', 'resume', 'invoices');
  await run('queue', 'delete', 'invoices');
  expect(await run('queue', 'ls')).toEqual([]);
});

it('flow pin, pause, ls and unpin manage a flow-control key', async () => {
  const [pinned] = await run('flow', 'pin', 'openai', '--parallelism', '5', '--rate', '9');
  expect(pinned).toMatchObject({ parallelismMax: 5, rateMax: 9, isPinnedRate: true });
  await run('flow', 'pause', 'openai');
  expect(await run('flow', 'ls', '--search', 'open')).toMatchObject([{ isPaused: true }]);
  await run('flow', 'resume', 'openai');
  expect(await run('flow', 'unpin', 'openai')).toMatchObject([{ isPinnedParallelism: false }]);
});

it('group add, ls, remove and delete manage a URL group', async () => {
  await run('group', 'add', 'billing', `${endpoint.url}/a`, `${endpoint.url}/b`);
  await run('group', 'add', 'billing', `${endpoint.url}/c`, '--name', 'audit');
  await run('group', 'remove', 'billing', `${endpoint.url}/a`, 'audit');
  expect(await run('group', 'ls')).toMatchObject([
    { name: 'billing', endpoints: [{ url: `${endpoint.url}/b` }] },
  ]);
  await run('group', 'delete', 'billing');
  expect(await run('group', 'ls')).toEqual([]);
});

it('keys show has no example that writes JSON to a file of environment settings', async () => {
  const { stdout } = await runClient(server, ['keys', 'show', '--help']);
  expect(stdout).toContain('keys show --json | jq');
  expect(stdout).not.toContain('.env');
});

it('keys rotate makes the next key the current one', async () => {
  const [before] = await run('keys', 'show');
  const [after] = await run('keys', 'rotate');
  expect(after?.['current']).toBe(before?.['next']);
});

it('tail shows each row of a label once, in order, as it happens', async () => {
  const tail = killedAtLast(
    spawn(process.execPath, [program, 'tail', '--label', 'followed'], {
      env: { PATH: process.env['PATH'], STEPWELL_URL: server.url, STEPWELL_TOKEN: server.token },
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
  // tail shows nothing from before its start: publish until it shows the first row.
  const first = lines.next();
  let isShown = false;
  void first.then(() => {
    isShown = true;
  });
  const publish = () =>
    callApi(server, 'POST', `/v2/publish/${endpoint.url}`, { 'svc-label': 'followed' });
  while (!isShown) {
    await publish();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // It may have started in the middle of the last message, which then has too few rows.
  await publish();
  const rows = [JSON.parse((await first).value)];
  while (rows.length < 3) rows.push(JSON.parse((await lines.next()).value));
  const { messageId } = rows[0];
  const states = rows.filter((row) => row.messageId === messageId).map(({ state }) => state);
  // tail may have started in the middle of the first message.
  expect('CREATED ACTIVE DELIVERED').toContain(states.join(' '));
  tail.kill();
  await once(tail, 'exit');
});

it('msg publish --watch ends with 1 if the message has failed', async () => {
  failing = 500;
  const words = ['msg', 'publish', `${endpoint.url}/fails`, '--retries', '0', '--label', 'watched'];
  const { code, stdout } = await runClient(server, [...words, '--watch']);
  expect(stdout).toMatch(/"state":"FAILED"/);
  expect(code).toBe(1);
  await run('dlq', 'delete', '--all', '--label', 'watched');
});

it.each([
  ['group delete none', 'URL group none not found'],
  ['msg cancel msg_none msg_nowhere', '2 of 2 messages do not exist, or have ended'],
  ['run cancel none nowhere', '2 of 2 runs do not exist, or have ended'],
  ['run resume none nowhere', '2 of 2 failed runs do not exist, or have ended'],
  ['dlq delete 1-1', 'dead letter 1-1 not found'],
  ['dlq retry 1-1 --dry-run', 'dead letter 1-1 not found'],
])('%s says that it does not exist, with 66', async (words, said) => {
  const { code, stderr } = await runClient(server, words.split(' '));
  expect(stderr).toContain(said);
  expect(code).toBe(66);
});
