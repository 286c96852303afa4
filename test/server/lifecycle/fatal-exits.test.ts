import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import {
  authorization,
  basic,
  freePort,
  ServerProcess,
} from '../../support/program/server-process.js';
import { itOnASmallFileSystem, remount } from '../../support/program/small-file-system.js';
import { itUnderStrace } from '../../support/program/strace.js';

let data = '';
let port = 0;
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'stepwell-exits-'));
  port = await freePort();
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await endpoint.stop();
  await rm(data, { recursive: true });
});

async function publish(server: ServerProcess, delay: string): Promise<number> {
  const response = await fetch(`${server.url}/v2/publish/${endpoint.url}`, {
    method: 'POST',
    headers: { authorization, 'svc-delay': delay },
    body: 'a message',
  });
  return response.status;
}

/** Records exits in the file of the server, each this many minutes ago. */
function noteExits(...minutes: readonly number[]): Promise<void> {
  const lines = minutes.map((ago) => {
    return JSON.stringify({ at: Date.now() - ago * 60_000, code: 1, message: 'a defect' });
  });
  return writeFile(join(data, 'exits'), `${lines.join('\n')}\n`);
}

async function readiness(server: ServerProcess) {
  const response = await fetch(`${server.url}/health/ready`);
  const scraped = await (await fetch(`${server.url}/metrics`)).text();
  // The metric for alerts agrees with the answer for load balancers.
  expect(scraped).toContain(`\nstepwell_ready ${Number(response.ok)}\n`);
  return { status: response.status, ...((await response.json()) as { reason: string | null }) };
}

/** A digest of the content of each file, by path. */
async function stored(): Promise<Map<string, string>> {
  const names = await readdir(data, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of names.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path);
    files.set(path, createHash('sha256').update(content).digest('hex'));
  }
  return files;
}

/** Requests every route of the server, with its parameters filled in; returns the answers. */
async function askEverything(server: ServerProcess) {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const answers: { route: string; status: number; isRefused: boolean }[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
      const url = server.url + path.replaceAll(/\{\w+\}/g, 'x');
      const credentials = path.startsWith('/v2') ? authorization : basic;
      const response = await fetch(url, {
        method,
        headers: { authorization: credentials },
        ...(method === 'GET' || method === 'HEAD' ? {} : { body: '{}' }),
      });
      // The answer about the health of the process has no such header.
      const isRefused = response.status === 503 && response.headers.get('retry-after') === '60';
      answers.push({ route: `${method} ${path}`, status: response.status, isRefused });
    }
  }
  return answers;
}

describe('a server that ended by itself three times within ten minutes', () => {
  it('changes and delivers nothing, until it was stopped and started again', async () => {
    const first = await ServerProcess.start(data, port);
    expect(await publish(first, '4s')).toBe(200);
    await fetch(`${first.url}/produce/orders/hello`, { headers: { authorization: basic } });
    await first.kill('SIGTERM');
    await noteExits(9, 5, 1);
    const before = await stored();
    const server = await ServerProcess.start(data, port);
    const ready = await readiness(server);
    expect(ready).toMatchObject({ status: 503, state: 'readOnly' });
    expect(ready.reason).toMatch(/ended by itself 3 times within ten minutes.*code 1 \(a defect\)/);
    expect(server.output).toContain('writes are refused');
    const answers = await askEverything(server);
    const refused = answers.filter(({ isRefused }) => isRefused);
    const shown = answers.filter((answer) => !refused.includes(answer));
    expect(shown.filter(({ status }) => status >= 500).map(({ route }) => route)).toEqual([
      'GET /health/ready',
      'HEAD /health/ready',
    ]);
    const changing = /^(POST|PUT|PATCH|DELETE|OPTIONS) /;
    expect(shown.map(({ route }) => route).filter((route) => changing.test(route))).toEqual([
      'POST /admin/backup',
      'POST /admin/cluster/handover',
      'POST /admin/reach',
      'POST /committed/{group}/{instance}',
      'POST /console/session',
      'DELETE /console/session',
      'POST /fetch',
      'POST /offsets/{timestamp}',
      'POST /v2/schedules/preview',
      'POST /v2/workflows/runs/{workflowRunId}/token',
    ]);
    expect(refused.map(({ route }) => route)).toEqual(
      expect.arrayContaining([
        'POST /v2/publish/{destination}',
        'GET /commit/{group}/{instance}',
        'GET /produce/{topic}/{message}',
        'DELETE /admin/topics/{name}',
      ]),
    );
    const read = await fetch(`${server.url}/admin/topics`, { headers: { authorization: basic } });
    expect(await read.json()).toMatchObject([{ name: 'orders' }]);
    await new Promise((resolve) => setTimeout(resolve, 4500));
    expect(endpoint.requests).toEqual([]);
    const second = await ServerProcess.start(data, await freePort()).catch(String);
    expect(second).toContain('75');
    expect(await stored()).toEqual(before);
    expect(await server.kill('SIGTERM')).toBe(0);
    const next = await ServerProcess.start(data, port);
    expect(await readiness(next)).toMatchObject({ status: 200 });
    while (endpoint.requests.length === 0) await endpoint.next();
    await next.kill();
  }, 60_000);

  it('works normally if these ends are further apart, or if it is configured to', async () => {
    await (await ServerProcess.start(data, port)).kill('SIGTERM');
    await noteExits(11, 5, 1);
    const server = await ServerProcess.start(data, port);
    expect(await readiness(server)).toMatchObject({ status: 200 });
    expect((await readFile(join(data, 'exits'), 'utf8')).trim().split('\n')).toHaveLength(2);
    await server.kill();
    await noteExits(3, 2, 1);
    const forced = await ServerProcess.start(data, port, { STEPWELL_READ_ONLY: 'never' });
    expect(await readiness(forced)).toMatchObject({ status: 200 });
    await forced.kill();
    const still = await ServerProcess.start(data, port, { STEPWELL_READ_ONLY: 'always' });
    expect(await readiness(still)).toMatchObject({ status: 503, state: 'readOnly' });
    // Read-only was only configured, so it does not outlast even a kill, which no operator decided.
    await still.kill();
    const ordinary = await ServerProcess.start(data, port);
    expect(await readiness(ordinary)).toMatchObject({ status: 200 });
    await ordinary.kill();
  }, 60_000);

  itUnderStrace('notes that the disk has ended it', async () => {
    await endOfDisk('EIO');
    const noted = (await readFile(join(data, 'exits'), 'utf8')).trim().split('\n');
    expect(noted.map((line) => JSON.parse(line))).toEqual([
      { at: expect.any(Number), code: 74, message: expect.stringContaining('EIO') },
    ]);
  });

  for (const code of ['ENOSPC', 'EDQUOT']) {
    itUnderStrace(`does not count an end for want of room: ${code}`, async () => {
      await endOfDisk(code);
      expect(await readdir(data)).not.toContain('exits');
    });
  }
});

describe('a server that is configured as read-only', () => {
  itOnASmallFileSystem(
    'shows what a disk holds that cannot be written any more',
    // With less than 1 GiB of free space the server publishes nothing.
    2048,
    async (disk) => {
      const folder = join(disk, 'data');
      const before = await ServerProcess.start(folder, port);
      expect(await publish(before, '1h')).toBe(200);
      await before.kill('SIGTERM');
      remount(disk, 'ro');
      try {
        const server = await ServerProcess.start(folder, port, { STEPWELL_READ_ONLY: 'always' });
        expect(await readiness(server)).toMatchObject({ status: 503, state: 'readOnly' });
        const shown = await fetch(`${server.url}/v2/messages`, { headers: { authorization } });
        expect(await shown.json()).toMatchObject({ messages: [{ url: endpoint.url }] });
        expect(await publish(server, '1h')).toBe(503);
        expect(await server.kill('SIGTERM')).toBe(0);
        await expect(ServerProcess.start(folder, port)).rejects.toThrow(/ended with 74.*EROFS/s);
      } finally {
        remount(disk, 'rw');
      }
    },
    60_000,
  );
});

/** Runs a server whose disk fails with `code` while messages are published. */
async function endOfDisk(code: string): Promise<void> {
  await (await ServerProcess.start(data, port)).kill('SIGTERM');
  // A group of the journal is written and synced in one call (ADR 84).
  const calls = 'fdatasync,pwrite64';
  const words = ['strace', '-D', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`];
  const wrapper = [...words, '-e', `inject=${calls}:error=${code}:when=20+`];
  const server = await ServerProcess.start(data, port, {}, wrapper);
  const gone = server.gone();
  while ((await publish(server, '1h').catch(() => 0)) === 200);
  expect(await gone).toBe(74);
}
