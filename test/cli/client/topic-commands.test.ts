import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { callLog } from '../../support/clients/log-api.js';
import { killedAtLast } from '../../support/leftovers.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { program, runProgram } from '../../support/program/program.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

const run = (...words: string[]) => answered(server, words);

it('topic create, produce, ls, show and delete manage a topic', async () => {
  expect(await run('topic', 'create', 'rides', '--partitions', '2')).toMatchObject([
    { name: 'rides', partitions: 2 },
  ]);
  const stored = await run('topic', 'produce', 'rides', '-d', 'a\nb\nc', '--lines', '--key', 'k');
  expect(stored.map(({ offset }) => offset)).toEqual([0, 1, 2]);
  expect(await run('topic', 'ls')).toMatchObject([{ name: 'rides' }]);
  expect(await run('topic', 'show', 'rides')).toMatchObject([{ name: 'rides' }]);
  await run('topic', 'delete', 'rides');
  expect(await run('topic', 'ls')).toEqual([]);
});

it('topic produce --lines stores each line as it arrives', async () => {
  const { url, credentials } = server;
  const env = {
    PATH: process.env['PATH'],
    STEPWELL_URL: url,
    STEPWELL_REST_USERNAME: credentials.restUsername,
    STEPWELL_REST_PASSWORD: credentials.restPassword,
  };
  const words = [program, 'topic', 'produce', 'slow', '-', '--lines', '--partition', '0'];
  const child = killedAtLast(spawn(process.execPath, words, { env }));
  const stored = createInterface(child.stdout)[Symbol.asyncIterator]();
  for (const offset of [0, 1]) {
    child.stdin.write(`${offset}\n`);
    const { value } = await stored.next();
    expect(JSON.parse(value)).toMatchObject({ topic: 'slow', offset });
  }
  child.stdin.end('last');
  expect(JSON.parse((await stored.next()).value)).toMatchObject({ offset: 2 });
  expect((await once(child, 'close'))[0]).toBe(0);
});

it('topic produce stores bytes that are not UTF-8, as one value and as lines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-bytes-'));
  const [whole, lines] = [join(folder, 'whole'), join(folder, 'lines')];
  await writeFile(whole, Buffer.from([0xff, 0xfe, 0x0a]));
  await writeFile(lines, Buffer.from([0x61, 0x0a, 0xc3, 0x28, 0x0a]));
  const words = ['topic', 'produce', 'bytes', '--partition', '0', '--key', 'ä'];
  await run(...words, `@${whole}`);
  await run(...words, `@${lines}`, '--lines');
  const place = { topic: 'bytes', partition: 0, offset: 0, maxRecords: 3 };
  const headers = { 'stream-encoding': 'base64' };
  const { body } = await callLog(server, '/fetch', place, { headers });
  const key = Buffer.from('ä').toString('base64');
  expect(body).toMatchObject([
    { key, value: Buffer.from([0xff, 0xfe, 0x0a]).toString('base64') },
    { key, value: Buffer.from('a').toString('base64') },
    { key, value: Buffer.from([0xc3, 0x28]).toString('base64') },
  ]);
  await rm(folder, { recursive: true });
});

it.each([
  ['a value', ['-d', "$(printf 'a\\377')"]],
  ['a key', ['-d', 'a', '--key', "$(printf 'k\\377')"]],
])('topic produce refuses %s on its command line that is not UTF-8', async (_what, words) => {
  const written = words.map((word) => `"${word}"`).join(' ');
  // A shell passes on such bytes; Node.js would convert the arguments of this process to UTF-8.
  const wrapper = ['bash', '-c', `"$@" ${written}`, 'bash'];
  const produce = ['topic', 'produce', 'refused', '--url', server.url];
  const { code, stderr } = await runProgram('/nowhere', produce, {}, wrapper);
  expect([code, stderr]).toEqual([64, expect.stringContaining('are UTF-8 text')]);
});

it('topic tail shows old and new records, and can filter them', async () => {
  const produce = (value: string, key: string) =>
    callLog(server, '/produce', { topic: 'trips', partition: 0, value, key });
  await produce('first', 'a');
  await produce('second refund', 'a');
  const words = ['topic', 'tail', 'trips', '--from', 'newest-5', '--key', 'a'];
  const tail = killedAtLast(
    spawn(process.execPath, [program, ...words, '--contains', 'refund'], {
      env: {
        PATH: process.env['PATH'],
        STEPWELL_URL: server.url,
        STEPWELL_REST_USERNAME: server.credentials.restUsername,
        STEPWELL_REST_PASSWORD: server.credentials.restPassword,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
  const before = JSON.parse((await lines.next()).value);
  await produce('a refund of another', 'b');
  await produce('another refund', 'a');
  const after = JSON.parse((await lines.next()).value);
  expect([before, after]).toMatchObject([
    { key: 'a', value: 'second refund', offset: 1 },
    { key: 'a', value: 'another refund', offset: 3 },
  ]);
  tail.kill();
  await once(tail, 'exit');
  const { code } = await runClient(server, ['topic', 'tail', 'trips', '--from', 'yesterday']);
  expect(code).toBe(64);
});

it('consumers seek shows its changes before it makes them; delete works, too', async () => {
  await run('topic', 'create', 'seats', '--partitions', '1');
  await run('topic', 'produce', 'seats', '-d', 'x');
  const headers = { 'stream-auto-offset-reset': 'earliest' };
  await callLog(server, '/consume/readers/one/seats?timeout=2000', undefined, { headers });
  await callLog(server, '/delete-consumer/readers/one', '');
  const seek = ['consumers', 'seek', 'readers', 'seats', '--to', 'earliest'];
  const moved = [{ topic: 'seats', partition: 0, to: 0 }];
  expect(await run(...seek, '--dry-run')).toMatchObject(moved);
  expect(await run(...seek)).toMatchObject(moved);
  for (const to of ['-5', 'offset 3', 'yesterday', '2026-11-31']) {
    const { code, stderr } = await runClient(server, [...seek.slice(0, -1), to]);
    expect([to, code]).toEqual([to, 64]);
    expect(stderr).toContain('earliest, latest, an offset, or a time such as 2027-01-31');
  }
  const asTime = await run(...seek.slice(0, -1), '2020-01-01T08:00+01:00', '--dry-run');
  expect(asTime).toMatchObject(moved);
  expect(await run('consumers', 'ls')).toMatchObject([{ name: 'readers' }]);
  expect(await run('consumers', 'show', 'readers')).toMatchObject([{ name: 'readers', lag: 1 }]);
  await run('consumers', 'delete', 'readers');
  expect(await run('consumers', 'ls')).toEqual([]);
});

it.each([
  ['topic', 'produce', 'rides', '-d', 'x'],
  ['topic', 'tail', 'rides'],
  ['consumers', 'seek', 'readers', 'rides', '--to', 'earliest'],
])('%s %s takes only a whole number as the partition', async (...words) => {
  for (const partition of ['abc', '', '-1', '1.5', '1e2']) {
    const { code, stderr } = await runClient(server, [...words, `--partition=${partition}`]);
    expect([partition, code]).toEqual([partition, 64]);
    expect(stderr).toContain('It must be a whole number of at least 0.');
  }
});

it('cred create, ls and revoke manage a credential', async () => {
  const [made] = await run('cred', 'create', 'phone', '--topic', 'r*', '--permissions', 'produce');
  expect(made).toMatchObject({ name: 'phone', permissions: 'PRODUCE' });
  expect(await run('cred', 'ls')).toMatchObject([{ name: 'phone' }]);
  await run('cred', 'revoke', 'phone');
  expect(await run('cred', 'ls')).toEqual([]);
});

it('token create takes only a date as the end of a token', async () => {
  for (const expires of ['40', '-5', 'tomorrow', '2099-02-29']) {
    const words = ['token', 'create', 'brief', '--role', 'read', `--expires=${expires}`];
    const { code, stderr } = await runClient(server, words);
    expect([expires, code]).toEqual([expires, 64]);
    expect(stderr).toContain('is neither a date like 2027-01-31');
  }
  expect(await run('token', 'ls')).toEqual([]);
});

it('token create makes a token that may do what its role allows', async () => {
  const [made] = await run(
    'token',
    'create',
    'reader',
    '--role',
    'read',
    '--expires',
    '2099-01-31',
  );
  const reader = { ...server, token: String(made?.['token']) };
  expect(await answered(reader, ['queue', 'ls'])).toEqual([]);
  const { code, stderr } = await runClient(reader, ['queue', 'set', 'q', '--parallelism', '1']);
  expect(code).toBe(77);
  expect(stderr).toContain('stepwell: ');
  expect(await run('token', 'ls')).toMatchObject([{ name: 'reader', role: 'read' }]);
  await run('token', 'revoke', 'reader');
  expect((await runClient(reader, ['queue', 'ls'])).code).toBe(77);
});
