import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { unproven } from '../crash/acknowledgement-order.js';
import { RecordingEndpoint } from '../support/clients/recording-endpoint.js';
import { killedAtLast } from '../support/leftovers.js';
import { flipByte } from '../support/program/flipped-byte.js';
import { program, runProgram } from '../support/program/program.js';
import { authorization, freePort, ServerProcess } from '../support/program/server-process.js';
import { itUnderStrace, readTrace, straceWords } from '../support/program/strace.js';

/** The folder of a server that SIGTERM ended: made once, then copied. */
let stopped = '';
let folder = '';
let data = '';
let port = 0;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  stopped = await mkdtemp(join(tmpdir(), 'stepwell-stopped-'));
  endpoint = await RecordingEndpoint.start();
  await keepMessages(stopped, 'SIGTERM');
  await endpoint.stop();
});

afterAll(() => rm(stopped, { recursive: true }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-exit-'));
  data = join(folder, 'data');
  port = await freePort();
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await endpoint.stop();
  await rm(folder, { recursive: true });
});

/** Publishes to the endpoint; returns the id. Rejects if the server does not acknowledge. */
async function publish(server: ServerProcess, headers = {}): Promise<string> {
  const response = await fetch(`${server.url}/v2/publish/${endpoint.url}`, {
    method: 'POST',
    headers: { authorization, ...headers },
    body: 'a message',
  });
  if (response.status !== 200) throw new Error(`publish answered ${response.status}`);
  return ((await response.json()) as { messageId: string }).messageId;
}

/** Makes the data folder one of a server that kept messages and was ended by `signal`. */
async function left(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (signal === 'SIGTERM') await cp(stopped, data, { recursive: true });
  else await keepMessages(data, signal);
}

async function keepMessages(directory: string, signal: NodeJS.Signals): Promise<void> {
  const server = await ServerProcess.start(directory, await freePort());
  for (let count = 0; count < 3; count += 1) await publish(server, { 'svc-delay': '1h' });
  // After 100 ms of silence the watermark of the journal is being written to the disk.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await server.kill(signal);
}

const journalFile = () => join(data, 'logs/0000000000/0000000000.log');

describe('a damaged folder', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s ends the start with 65 and names file, range and last good offset',
    async (signal) => {
      await left(signal);
      await flipByte(journalFile(), 300);
      const { code, stderr } = await runProgram(data, ['start']);
      expect(stderr).toMatch(
        /^stepwell: damaged data: \S+0000000000\.log bytes \d+ to \d+: .*; last good offset \S+$/m,
      );
      expect(stderr).toContain(journalFile());
      expect(code).toBe(65);
    },
  );

  it('ends the start with 65 if no copy of the manifest is intact', async () => {
    await left('SIGTERM');
    for (const copy of ['MANIFEST', 'MANIFEST.copy']) await flipByte(join(data, copy), 40);
    const { code, stderr } = await runProgram(data, ['start']);
    // The error is reported only once.
    const said = stderr.split('\n').filter((line) => line.includes('MANIFEST'));
    const reason = `stepwell: damaged data: ${join(data, 'MANIFEST')} bytes`;
    expect([code, said]).toEqual([65, [expect.stringContaining(reason)]]);
  });
});

/** Makes Node.js behave as on a platform without a prebuilt addon. */
const withoutAddon = {
  NODE_OPTIONS: `--require ${join(import.meta.dirname, '../support/without-addon.cjs')}`,
};

describe.each([
  ['the addon', {}],
  ['flock(1)', withoutAddon],
])('a folder in use, locked by %s', (_kind, environment) => {
  it('ends a second process with 75 and does not disturb the first', async () => {
    const holder = await ServerProcess.start(data, port, environment);
    const { code, stderr } = await runProgram(data, ['start'], environment);
    const reason = `stepwell: the data folder ${data} is in use by another process\n`;
    expect([code, stderr]).toEqual([75, expect.stringContaining(reason)]);
    const id = await publish(holder);
    expect((await endpoint.received(1))[0]?.headers['svc-message-id']).toBe(id);
    await holder.kill('SIGKILL');
    // The kernel released the lock: no file has to be removed by hand.
    const next = await ServerProcess.start(data, port, environment);
    expect((await runProgram(data, ['start'], environment)).code).toBe(75);
    expect(await next.kill('SIGTERM')).toBe(0);
  });
});

it('a machine without any kind of lock ends the start with 69 and says what to do', async () => {
  const { code, stderr } = await runProgram(data, ['start'], { ...withoutAddon, PATH: folder });
  expect(stderr).toMatch(
    /^stepwell: the data folder cannot be locked: fs-native-extensions .*; run npm ci .*flock\n$/,
  );
  expect(code).toBe(69);
});

describe('simultaneous first starts', () => {
  it('leave one server and the credentials that it showed', async () => {
    const starts = [0, 1, 2].map(async () => {
      const child = killedAtLast(
        spawn(process.execPath, [program, 'start'], {
          env: { PATH: process.env['PATH'], STEPWELL_PORT: '0', STEPWELL_DATA_DIR: data },
        }),
      );
      const said = text(child.stdout);
      const exit = once(child, 'exit');
      const isRunning = await Promise.race([
        exit.then(() => false),
        new Promise<boolean>((resolve) => {
          child.stdout.on('data', (chunk: Buffer) => {
            if (chunk.toString().includes('running at')) resolve(true);
          });
        }),
      ]);
      if (isRunning) child.kill('SIGTERM');
      const [code] = await exit;
      return { said: await said, code };
    });
    const ended = await Promise.all(starts);
    expect(ended.filter(({ code }) => code !== 0 && code !== 75)).toEqual([]);
    const kept = JSON.parse(await readFile(join(data, 'credentials.json'), 'utf8'));
    const shown = ended.flatMap(({ said }) => /^STEPWELL_TOKEN=(.*)$/m.exec(said)?.[1] ?? []);
    expect(shown).toEqual(kept.tokens);
  });
});

describe('a folder', () => {
  it.each(['start', 'dev'])('that holds something else is refused by %s with 64', async (word) => {
    await mkdir(data);
    await writeFile(join(data, 'thesis.txt'), 'ten years');
    const { code, stderr } = await runProgram(data, [word]);
    expect([code, stderr]).toEqual([
      64,
      `stepwell: STEPWELL_DATA_DIR ${data} contains other files (thesis.txt); ` +
        'use a folder of its own\n',
    ]);
    expect(await readdir(data)).toEqual(['thesis.txt']);
  });

  it('that an unfinished first start has left is accepted', async () => {
    await mkdir(join(data, 'logs'), { recursive: true });
    await writeFile(join(data, 'LOCK'), '');
    const server = await ServerProcess.start(data, port);
    expect(await server.kill('SIGTERM')).toBe(0);
  });

  it('that cannot be created ends the start with 74 and its path', async () => {
    const { code, stderr } = await runProgram(join(data, 'deeper'), ['start']);
    expect([code, stderr]).toEqual([74, expect.stringContaining(join(data, 'deeper'))]);
  });

  itUnderStrace('that is read-only ends with 74 and its path', async () => {
    await left('SIGTERM');
    // Root may write everywhere, so the error of the kernel is injected.
    const lock = join(data, 'LOCK');
    const injection = ['-e', 'trace=openat', '-e', 'inject=openat:error=EROFS'];
    const wrapper = ['strace', '-f', '-qq', '-o', '/dev/null', '-P', lock, ...injection];
    const { code, stderr } = await runProgram(data, ['start'], {}, wrapper);
    const reason = `stepwell: opening the data folder ${data} failed: EROFS`;
    expect([code, stderr]).toEqual([74, expect.stringContaining(reason)]);
  });
});

describe('a start', () => {
  for (const name of ['credentials.json', 'clock.json']) {
    itUnderStrace(`that cannot read ${name} ends with 74 and its path`, async () => {
      await left('SIGTERM');
      const path = join(data, name);
      const injection = ['-e', 'trace=openat', '-e', 'inject=openat:error=EIO'];
      const wrapper = ['strace', '-f', '-qq', '-o', '/dev/null', '-P', path, ...injection];
      const { code, stderr } = await runProgram(data, ['start'], {}, wrapper);
      const reason = `stepwell: reading ${path} failed: EIO`;
      expect([code, stderr]).toEqual([74, expect.stringContaining(reason)]);
    });
  }
});

describe('a disk that fails', () => {
  // One thread does all file work, so that a count of calls means the same in every run.
  const oneThread = { UV_THREADPOOL_SIZE: '1' };

  for (const [call, count] of [
    ['fdatasync', 9],
    ['pwrite64', 11],
  ] as const) {
    itUnderStrace(
      `ends the server with 74 and loses nothing it said (${call} ${count})`,
      async () => {
        const trace = join(folder, 'trace');
        const injection = ['-e', `inject=${call}:error=EIO:when=${count}`];
        const { ids, server } = await published(straceWords(trace, ...injection));
        expect(await server.gone()).toBe(74);
        expect(server.output).toContain('EIO');
        const calls = await readTrace(trace, server.child.pid);
        expect(calls.filter(({ name, result }) => name === call && result === -1)).toHaveLength(1);
        const said = ids.map((id) => ({ said: id, stored: id }));
        expect(unproven(calls, said)).toEqual([]);
        await allDelivered(ids);
      },
    );
  }

  itUnderStrace('ends the server with 74 where the journal finds no room', async () => {
    // Only writes of the journal are counted: for all others the server can wait for space.
    const injection = ['-P', journalFile(), '-e', 'inject=pwrite64:error=ENOSPC:when=8'];
    const words = ['strace', '-D', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=pwrite64'];
    const { ids, server } = await published([...words, ...injection]);
    expect(await server.gone()).toBe(74);
    expect(server.output).toContain('ENOSPC');
    await allDelivered(ids);
  });

  itUnderStrace('ends the server with 74 where its program is on it too', async () => {
    // The source map is read when the first error is shown.
    const lines = join(dirname(program), '../dist/src/program/engine.part.cjs.map');
    const paths = ['-P', journalFile(), '-P', lines];
    const writes = ['-e', 'inject=pwrite64:error=EIO:when=8'];
    const injection = ['-e', 'trace=pwrite64,read', ...writes, '-e', 'inject=read:error=EIO'];
    const words = ['strace', '-D', '-f', '-qq', '-o', '/dev/null', ...paths, ...injection];
    const { ids, server } = await published(words);
    expect(await server.gone()).toBe(74);
    expect(server.output).toContain('the process cannot continue');
    await allDelivered(ids);
  });

  /**
   * Publishes until the disk ends the server; the acknowledged messages, none of them delivered.
   */
  async function published(wrapper: readonly string[]) {
    // The first start preallocates files: the count of calls must not include that.
    await left('SIGTERM');
    endpoint.answer(() => ({ status: 503 }));
    const server = await ServerProcess.start(data, port, oneThread, wrapper);
    const ids = await publishedUntilTheEnd(server);
    expect(ids.length).toBeGreaterThan(0);
    return { ids, server };
  }

  /** The next server delivers all messages that the server before acknowledged. */
  async function allDelivered(ids: readonly string[]): Promise<void> {
    const delivered = new Set<unknown>();
    endpoint.answer(({ headers }) => {
      delivered.add(headers['svc-message-id']);
      return {};
    });
    const next = await ServerProcess.start(data, port);
    while (!ids.every((id) => delivered.has(id))) await endpoint.next();
    expect(await next.kill('SIGTERM')).toBe(0);
  }
});

/** Publishes one message after another until the server has ended; the acknowledged ids. */
async function publishedUntilTheEnd(server: ServerProcess): Promise<string[]> {
  const ids: string[] = [];
  const retries = { 'svc-retries': '100', 'svc-retry-delay': '100' };
  for (;;) {
    try {
      ids.push(await publish(server, retries));
    } catch (error) {
      if (String(error).includes('answered')) throw error;
      return ids;
    }
  }
}
