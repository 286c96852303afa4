import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { killedAtLast } from '../support/leftovers.js';
import { program } from '../support/program/program.js';
import { token } from '../support/program/server-process.js';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'dist/src/main.js');

/** Every way to start that the documents name; npm runs in `root` or `folder`. */
const ways = {
  'npm start': ['npm', 'start'],
  'npx stepwell start': ['npx', 'stepwell', 'start'],
  'node bin/stepwell.cjs start': [process.execPath, program, 'start'],
  'node dist/src/main.js start': [process.execPath, main, 'start'],
} as const;
type Way = keyof typeof ways;

let folder = '';
let started: Launched[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-launch-'));
  // A project that has the package installed, linked as npm does it.
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"name":"project"}');
  await symlink(program, join(folder, 'node_modules/.bin/stepwell'));
});

afterEach(async () => {
  for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL');
  started = [];
  await rm(folder, { recursive: true });
});

/** A server that a command has started, directly or indirectly. */
interface Launched {
  readonly child: ChildProcess;
  /** The process that serves: the command itself or the last of its descendants. */
  readonly pid: number;
  readonly output: () => string;
  /** How the command ended, once everything that it started has ended too. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

async function launch(
  words: readonly string[],
  environment = {},
  standardError: 'pipe' | number = 'pipe',
): Promise<Launched> {
  const [command = '', ...rest] = words;
  const child = killedAtLast(
    spawn(command, rest, {
      cwd: command === 'npm' ? root : folder,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        STEPWELL_PORT: '0',
        STEPWELL_DATA_DIR: join(folder, 'data'),
        ...environment,
      },
      stdio: ['ignore', 'pipe', standardError],
      // The command gets a process group of its own, as in a terminal.
      detached: true,
    }),
  );
  let output = '';
  // The output streams close when the last process that holds them has ended.
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  await new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('running at')) resolve();
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    ended.then(() => reject(new Error(`ended before it served: ${output}`)));
  });
  const launched = { child, pid: lastDescendant(child.pid ?? 0), output: () => output, ended };
  started.push(launched);
  return launched;
}

function lastDescendant(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? pid : lastDescendant(Number(children.split(' ').at(-1)));
}

const threadsOf = ({ pid }: Launched) => readdirSync(`/proc/${pid}/task`).length;

/** A server with a pool of 4 threads, started once: its number of threads and its output. */
let smallPool: Promise<{ readonly threads: number; readonly output: string }> | undefined;

async function startSmallPool() {
  const server = await launch(ways['npm start'], { UV_THREADPOOL_SIZE: '4' });
  const threads = threadsOf(server);
  server.child.kill('SIGTERM');
  await server.ended;
  return { threads, output: server.output() };
}

/** Number of threads of a server with the pool of 16 threads that every way to start gives it. */
async function usualThreads(): Promise<number> {
  smallPool ??= startSmallPool();
  return (await smallPool).threads - 4 + 16;
}

it('the server warns if it has another thread pool than it should', async () => {
  smallPool ??= startSmallPool();
  expect((await smallPool).output).toMatch(/thread pool has only 4 threads.*UV_THREADPOOL_SIZE=16/);
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it.each<Way>(['npm start', 'node bin/stepwell.cjs start'])(
    'to the process of `%s` ends the server cleanly, with exit code 0',
    async (way) => {
      const { child, ended, output } = await launch(ways[way]);
      child.kill(signal);
      expect(await ended).toEqual({ code: 0, signal: null });
      expect(output()).toContain(`"reason":"${signal}"`);
    },
  );

  it.each(Object.keys(ways) as Way[])(
    'to the whole group of `%s`, as Ctrl-C sends it, is one request; each has the same threads',
    async (way) => {
      const threads = await usualThreads();
      const server = await launch(ways[way]);
      const { child, ended, output } = server;
      expect(threadsOf(server)).toBe(threads);
      process.kill(-(child.pid ?? 0), signal);
      await ended;
      expect(output().match(/"msg":"stopping"/g)).toHaveLength(1);
      expect(output()).not.toContain('thread pool');
    },
  );
});

it('the server ends cleanly when its terminal is closed', async () => {
  const command = [process.execPath, program, 'start'].join(' ');
  const { child, pid, ended } = await launch(['script', '-qfc', command, '/dev/null']);
  const files = () => readdirSync(join(folder, 'data'));
  expect(files()).toContain('address.json');
  // The terminal that `script` has made ends with it.
  child.kill('SIGKILL');
  await ended;
  while (existsSync(`/proc/${pid}`)) await pause(20);
  expect(files()).not.toContain('address.json');
  expect(files()).not.toContain('exits');
});

it('the server continues if its log is on a full disk', async () => {
  const full = openSync('/dev/full', 'w');
  const { child, ended, output } = await launch(
    ways['node dist/src/main.js start'],
    {
      STEPWELL_LOG_LEVEL: 'debug',
    },
    full,
  );
  closeSync(full);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(output()).toContain('running at');
});

/** A server that runs `script` at SIGUSR2. */
async function launchWith(script: string, standardError: 'pipe' | number): Promise<Launched> {
  const preload = join(folder, 'at-signal.cjs');
  await writeFile(preload, `process.on('SIGUSR2', () => { ${script} });`);
  const environment = {
    NODE_OPTIONS: `--require ${preload}`,
    STEPWELL_LOG_LEVEL: 'debug',
    STEPWELL_TOKEN: token,
  };
  return launch(ways['node dist/src/main.js start'], environment, standardError);
}

it('a server that fails ends even if its log is on a full disk', async () => {
  const full = openSync('/dev/full', 'w');
  const fail = `setImmediate(() => { throw new Error('on purpose'); });`;
  const { child, ended } = await launchWith(fail, full);
  closeSync(full);
  child.kill('SIGUSR2');
  expect(await ended).toEqual({ code: 1, signal: null });
});

it('the server continues while its log is not read, and writes it afterwards', async () => {
  // A pipe that is no longer read still has a buffer, which must be filled first.
  const fill = `
    let isFull = false;
    setInterval(() => {
      try {
        for (;;) require('node:fs').writeSync(2, 'x'.repeat(1000));
      } catch {
        if (!isFull) console.log('it is full');
        isFull = true;
      }
    }, 5);`;
  const { child, ended, output } = await launchWith(fill, 'pipe');
  const [, url = ''] = /running at (\S+)/.exec(output()) ?? [];
  child.stderr?.pause();
  child.kill('SIGUSR2');
  while (!output().includes('it is full')) await pause(10);
  for (let asked = 0; asked < 50; asked += 1) {
    // The log has a line for each request that is broken off.
    const broken = connect(Number(new URL(url).port), '127.0.0.1');
    const head = ['host: x', 'content-length: 9', `authorization: Bearer ${token}`].join('\r\n');
    broken.write(`POST /v2/publish/https://x.test/ HTTP/1.1\r\n${head}\r\n\r\nhalf`);
    await pause(10);
    broken.destroy();
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  }
  child.kill('SIGTERM');
  child.stderr?.resume();
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(output()).toContain('the client broke a request off');
  expect(output()).toContain('"reason":"SIGTERM","msg":"stopping"');
});

it('the server ends when npm is killed, although npm passes no signal on', async () => {
  const { child, ended, output } = await launch(ways['npm start']);
  child.kill('SIGKILL');
  await ended;
  expect(output()).toContain('"reason":"the end of npm","msg":"stopping"');
});

it('the server ends when SIGTERM ends npx, although its shell passes no signal on', async () => {
  const { child, ended, output } = await launch(ways['npx stepwell start']);
  child.kill('SIGTERM');
  await ended;
  expect(output()).toContain('"reason":"the end of npm","msg":"stopping"');
});
