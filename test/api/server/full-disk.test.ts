import { dirname } from 'node:path';
import { type Logger, pino } from 'pino';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { callLog } from '../../support/clients/log-api.js';
import { startServer, type TestServer } from '../../support/server.js';

const gigabyte = 1024 ** 3;
const kilobyte = 1024;

/** The disk of the server; a test makes it full. */
let disk: SimulatedDisk;
let server: TestServer;
const fatal: unknown[] = [];

beforeEach(async () => {
  disk = new SimulatedDisk(new SeededRandom(7));
  await disk.makeDirectory('/data');
  await disk.syncDirectory('/');
  await start();
});

afterEach(async () => {
  expect(await server.stop()).toBe(true);
  expect(fatal).toEqual([]);
  expect(disk.openPaths).toEqual([]);
});

async function start(log?: Logger): Promise<void> {
  server = await startServer({
    dataDirectory: '/data',
    ports: {
      disk,
      fileSizes: { segmentBytes: 256 * kilobyte, reserveBytes: 64 * kilobyte },
      fatal: (error) => fatal.push(error),
      ...(log !== undefined && { log }),
    },
  });
}

/** A refusal for lack of space says when to retry. */
function expectRetryAfter({ status, headers }: Pick<Response, 'status' | 'headers'>): void {
  if (status === 507) expect(headers.get('retry-after')).toBe('10');
}

async function call(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await callLog(server, path, body, { headers });
  expectRetryAfter(answer);
  return answer;
}

async function publish(): Promise<number> {
  const answer = await fetch(`${server.url}/v2/publish/https://example.com/`, {
    method: 'POST',
    headers: { authorization: server.bearer, 'upstash-delay': '1h' },
    body: 'later',
  });
  expectRetryAfter(answer);
  return answer.status;
}

async function stored(topic: string): Promise<unknown[]> {
  const { body } = await call('/fetch', { topic, partition: 0, offset: 0, timeout: 0 });
  return (body as { value: unknown }[]).map(({ value }) => value);
}

/** The value of `stepwell_disk_full` in `/metrics`: 1 = new work is refused. */
async function isFull(): Promise<string | undefined> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return /^stepwell_disk_full (\d)$/m.exec(text)?.[1];
}

/** Another program takes all free space. */
function fill(): void {
  disk.capacityBytes = disk.usedBytes;
}

/** The folder of the log that holds `text`, which the journal does not. */
function folderOf(text: string): string {
  const paths = [...disk.files()].filter(([, bytes]) => bytes.includes(text)).map(([path]) => path);
  const folders = new Set(paths.map(dirname));
  expect(folders.size).toBe(1);
  return [...folders].join();
}

/** Waits until a produce is accepted; the server checks the space once a second. */
async function roomAgain(): Promise<void> {
  disk.failures = [];
  disk.capacityBytes = disk.usedBytes + 4 * gigabyte;
  while ((await call('/produce/probe', { value: 'p', partition: 0 })).status !== 200) {
    await new Promise((next) => setTimeout(next, 50));
  }
}

describe('a full disk', () => {
  it('makes a produce fail with 507, until the server finds space again', async () => {
    const acknowledged: string[] = [];
    const answers = new Set<string>();
    await roomAgain();
    for (let cycle = 0; cycle < 3; cycle += 1) {
      for (let index = 0; index < 5; index += 1) {
        const value = `${cycle}.${index} `.padEnd(3000, '.');
        const { status } = await call('/produce/rides', { value, partition: 0 });
        expect(status).toBe(200);
        acknowledged.push(value);
      }
      fill();
      for (let index = 0; index < 20; index += 1) {
        const value = `${cycle}.${index} refused`.padEnd(3000, '.');
        const { status, body } = await call('/produce/rides', { value, partition: 0 });
        // The last page that was started may have space for one more record.
        if (status === 200) acknowledged.push(value);
        else {
          expect([status, body]).toEqual([507, { error: expect.any(String), status: 507 }]);
          answers.add((body as { error: string }).error);
        }
        expect([200, 507]).toContain(await publish());
      }
      const subscription = { name: 'new', topic: 'rides', destination: 'https://example.com/hook' };
      expect((await call('/admin/subscriptions', subscription)).status).toBe(507);
      expect((await call('/admin/topics', { name: 'new' })).status).toBe(507);
      expect(await stored('rides')).toEqual(acknowledged);
      expect(await isFull()).toBe('1');
      await roomAgain();
      expect(await isFull()).toBe('0');
    }
    expect([...answers].some((error) => error.includes('nothing of this was stored'))).toBe(true);
    expect(await publish()).toBe(200);
    await server.stop();
    await start();
    expect(await stored('rides')).toEqual(acknowledged);
  }, 60_000);

  it('has a request say which of its records are not stored', async () => {
    await roomAgain();
    const records = [
      { topic: 'one', value: 'the first', partition: 0 },
      { topic: 'two', value: 'the second', partition: 0 },
    ];
    await call('/produce', records);
    const under = folderOf('the second');
    const failOnce = () => {
      disk.failures = [{ operation: 'write', code: 'ENOSPC', nth: 1, under, partially: true }];
    };
    failOnce();
    const partial = await call('/produce?partial=true', records);
    const refused = { error: expect.stringContaining('nothing of this was stored'), status: 507 };
    expect([partial.status, partial.body]).toEqual([
      207,
      [expect.objectContaining({ topic: 'one', offset: 1 }), refused],
    ]);
    await roomAgain();
    failOnce();
    const whole = await call('/produce', records);
    expect(whole.status).toBe(507);
    expect(whole.body).toEqual({ error: expect.stringContaining('other records'), status: 507 });
    await roomAgain();
    failOnce();
    const alone = await call('/produce/two', { value: 'c', partition: 0 });
    expect([alone.status, alone.body]).toEqual([507, refused]);
    await roomAgain();
    expect(await stored('one')).toEqual(['the first', 'the first', 'the first']);
    expect(await stored('two')).toEqual(['the second']);
  }, 60_000);

  it('delays a commit that found no space until the server can write it by itself', async () => {
    await roomAgain();
    for (const value of ['a', 'b', 'c']) await call('/produce/rides', { value, partition: 0 });
    const earliest = { 'stream-auto-offset-reset': 'earliest' };
    const given = await call('/consume/group/one/rides?timeout=0', undefined, earliest);
    expect(given.body).toMatchObject([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    const position = (offset: number) => [{ topic: 'rides', partition: 0, offset }];
    expect((await call('/commit/group/one', position(1))).status).toBe(200);
    const under = folderOf('["group","rides",0]');
    const code = 'ENOSPC';
    disk.failures = [{ operation: 'write', code, nth: 1, lasting: true, under, partially: true }];
    for (const offset of [2, 3]) {
      const refused = await call('/commit/group/one', position(offset));
      expect([refused.status, refused.body]).toEqual([
        507,
        { error: expect.any(String), status: 507 },
      ]);
    }
    await roomAgain();
    await server.stop();
    await start();
    const { body } = await call('/committed/group/one', [{ topic: 'rides', partition: 0 }]);
    expect(body).toEqual(position(3));
  }, 60_000);

  it('shows no records to a group that found no space to start, and all later', async () => {
    await roomAgain();
    for (const value of ['a', 'b']) await call('/produce/rides', { value, partition: 0 });
    const earliest = { 'stream-auto-offset-reset': 'earliest' };
    const consume = (group: string) => {
      return call(`/consume/${group}/one/rides?timeout=0`, undefined, earliest);
    };
    expect((await consume('first')).body).toHaveLength(2);
    const under = folderOf('["first","rides",0]');
    const code = 'ENOSPC';
    disk.failures = [{ operation: 'write', code, nth: 1, lasting: true, under, partially: true }];
    for (let times = 0; times < 2; times += 1) expect((await consume('second')).status).toBe(507);
    await roomAgain();
    expect((await consume('second')).body).toMatchObject([{ value: 'a' }, { value: 'b' }]);
    expect((await consume('second')).body).toEqual([]);
  }, 60_000);

  it('still stores a token, as operators may need one, even across a crash', async () => {
    await roomAgain();
    fill();
    while ((await publish()) !== 507) await new Promise((next) => setTimeout(next, 50));
    const made = await call('/admin/tokens', { name: 'helper', role: 'read' });
    expect(made.status).toBe(201);
    const crashed = disk.crash('nothing', 3);
    await server.stop();
    disk = crashed;
    await start();
    const { token } = made.body as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/v2/queues`, { headers })).status).toBe(200);
    await roomAgain();
  }, 60_000);

  it('makes the server read-only from the moment it starts', async () => {
    const ready = async () => {
      const answer = await fetch(`${server.url}/health/ready`);
      return { status: answer.status, body: await answer.json() };
    };
    await roomAgain();
    await server.stop();
    disk.capacityBytes = disk.usedBytes + 100 * 1024 * kilobyte;
    const warnings: string[] = [];
    await start(pino({ level: 'warn' }, { write: (line) => void warnings.push(line) }));
    expect(await ready()).toEqual({
      status: 503,
      body: { state: 'readOnly', reason: expect.stringContaining('the disk is nearly full') },
    });
    expect([await publish(), (await call('/produce/rides', { value: 'x' })).status]).toEqual([
      507, 507,
    ]);
    expect(warnings.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'writes are refused',
    ]);
    await roomAgain();
    while ((await ready()).status !== 200) await new Promise((next) => setTimeout(next, 50));
    expect(await publish()).toBe(200);
  }, 60_000);

  it('can be read, and the deletion of a topic frees space', async () => {
    await roomAgain();
    for (const value of ['a', 'b']) await call('/produce/rides', { value, partition: 0 });
    await call('/produce/gone', { value: 'x'.repeat(150 * kilobyte), partition: 0 });
    fill();
    expect(await stored('rides')).toEqual(['a', 'b']);
    const before = disk.usedBytes;
    const deleted = await callLog(server, '/admin/topics/gone', undefined, { method: 'DELETE' });
    expect(deleted.status).toBeLessThan(300);
    expect(disk.usedBytes).toBeLessThan(before - 100 * kilobyte);
    await roomAgain();
    expect((await call('/produce/gone', { value: 'new', partition: 0 })).status).toBe(200);
    expect(await stored('gone')).toEqual(['new']);
  }, 60_000);
});
