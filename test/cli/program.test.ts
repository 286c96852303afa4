import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { readConfiguration } from '../../src/server/configuration/config.js';
import { killedAtLast } from '../support/leftovers.js';
import { type Ended, program, runProgram } from '../support/program/program.js';
import { freePort } from '../support/program/server-process.js';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stepwell-cli-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function environment(extra: Record<string, string>) {
  return {
    PATH: process.env['PATH'],
    STEPWELL_PORT: '0',
    STEPWELL_DATA_DIR: join(directory, 'data'),
    ...extra,
  };
}

function run(words: string[], extra: Record<string, string> = {}): Promise<Ended> {
  return runProgram(join(directory, 'data'), words, extra);
}

/** Starts a server as a process, waits until it is ready, and can end it with a signal. */
async function startProcess(words: string[], extra: Record<string, string> = {}) {
  const child = killedAtLast(
    spawn(process.execPath, [program, ...words], { env: environment(extra) }),
  );
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code: code ?? Number.NaN, stdout, stderr }));
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      // A published launcher waits for this text.
      const line = stdout.split('\n').find((each) => /runn+ing( at|\.)/i.test(each));
      if (line !== undefined) resolve(line.split(' ').at(-1) ?? '');
    });
    ended.then(() => reject(new Error(`ended before it served: ${stderr}`)));
  });
  return {
    url,
    stdout: () => stdout,
    end(signal: NodeJS.Signals) {
      child.kill(signal);
      return ended;
    },
  };
}

function valueIn(lines: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(lines)?.[1] ?? '';
}

describe('usage', () => {
  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile(join(program, '../../package.json'), 'utf8'));
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  test('--help names every command', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const command of ['start', 'dev', 'config', 'journal']) expect(stdout).toContain(command);
  });

  test('the program alone prints its help and ends with 64, unlike a start', async () => {
    const { code, stdout, stderr } = await run([]);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(/^Usage: stepwell /);
    for (const command of ['start', 'dev', 'config', 'journal']) expect(stderr).toContain(command);
  });

  test('a misspelt command names the command that was probably meant', async () => {
    const { code, stderr } = await run(['jornal']);
    expect([code, stderr]).toEqual([64, expect.stringContaining('Did you mean journal?')]);
  });

  test.each([
    [['fly']],
    [['start', 'now']],
    [['journal', 'prunt']],
    [['--loud']],
    [['config', '--all']],
  ])('%s ends with 64 and says why', async (words) => {
    const { code, stderr } = await run(words);
    expect(code).toBe(64);
    expect(stderr).toMatch(/^error: /);
  });
});

describe('bad configuration', () => {
  test('ends with 64 and one line for each problem', async () => {
    const { code, stderr } = await run(['start'], { STEPWELL_PORT: 'x', STEPWELL_COLOR: 'red' });
    expect(code).toBe(64);
    expect(stderr).toBe(
      'stepwell: STEPWELL_COLOR is not a setting of Stepwell\n' +
        'stepwell: STEPWELL_PORT is not a whole number from 0 to 65535\n',
    );
  });

  test('start refuses the published development credentials', async () => {
    const token = Buffer.from(
      JSON.stringify({ UserID: 'defaultUser', Password: 'defaultPassword' }),
    ).toString('base64');
    const { code, stderr } = await run(['start'], { STEPWELL_TOKEN: token });
    expect(code).toBe(64);
    expect(stderr).toContain('STEPWELL_TOKEN is a published development credential');
  });

  test('start refuses secrets that are short or given twice, and then generates none', async () => {
    const short = 'holds a secret of fewer than 16 characters; only dev takes it';
    const same = 'one-secret-for-everything';
    const { code, stdout, stderr } = await run(['start'], {
      STEPWELL_TOKEN: `${same},short`,
      STEPWELL_READ_TOKEN: 'a-reading-token,a-reading-token-1,a-reading-token-1',
      STEPWELL_REST_PASSWORD: same,
      STEPWELL_NEXT_SIGNING_KEY: 'sig_12345',
    });
    expect(code).toBe(64);
    expect(stdout).toBe('');
    expect(stderr.split('\n')).toEqual([
      `stepwell: STEPWELL_TOKEN ${short}`,
      `stepwell: STEPWELL_READ_TOKEN ${short}`,
      `stepwell: STEPWELL_NEXT_SIGNING_KEY ${short}`,
      'stepwell: STEPWELL_READ_TOKEN holds the same secret twice',
      'stepwell: STEPWELL_REST_PASSWORD holds a secret of STEPWELL_TOKEN',
      '',
    ]);
    await expect(stat(join(directory, 'data/credentials.json'))).rejects.toThrow('ENOENT');
  });

  test('start refuses weak secrets in the credentials file', async () => {
    const data = join(directory, 'data');
    await mkdir(data);
    const path = join(data, 'credentials.json');
    await writeFile(path, '{"restPassword":"short"}');
    const { code, stderr } = await run(['start']);
    expect(code).toBe(64);
    expect(stderr).toBe(
      `stepwell: restPassword of ${path} holds a secret of fewer than 16 characters; ` +
        'only dev takes it\n',
    );
    expect(await readFile(path, 'utf8')).toBe('{"restPassword":"short"}');
  });

  test.each(['start', 'dev'])('%s refuses a full token as a read token', async (command) => {
    const { code, stderr } = await run([command], {
      STEPWELL_TOKEN: 'a-token-of-this-length',
      STEPWELL_READ_TOKEN: 'another-token-of-this-length,a-token-of-this-length',
    });
    expect(code).toBe(64);
    expect(stderr).toBe('stepwell: STEPWELL_READ_TOKEN holds a secret of STEPWELL_TOKEN\n');
  });

  test('dev accepts short secrets, and one secret for two purposes', async () => {
    const server = await startProcess(['dev'], {
      STEPWELL_TOKEN: 'short',
      STEPWELL_REST_PASSWORD: 'short',
    });
    expect(server.stdout()).toContain('QSTASH_TOKEN=short');
    await server.end('SIGTERM');
  });

  test('dev shows how it disturbs deliveries, with the given numbers', async () => {
    const server = await startProcess(['dev', '--fault', 'drop=7%,lose=0.3%']);
    expect(server.stdout()).toContain('disturbed: 7 % dropped, 0.3 % of the answers lost');
    await server.end('SIGTERM');
  });

  test('dev refuses to listen on an address that others can reach', async () => {
    const { code, stderr } = await run(['dev'], { STEPWELL_HOST: '0.0.0.0' });
    expect(code).toBe(64);
    expect(stderr).toContain('STEPWELL_HOST must be a loopback address');
  });
});

describe('config', () => {
  test('shows every value with its source and no secret', async () => {
    const secret = 'a-secret-that-must-not-show';
    const { code, stdout } = await run(['config'], {
      STEPWELL_REST_PASSWORD: secret,
      STEPWELL_TIMEOUT: '5m',
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain(secret);
    expect(stdout).toMatch(/^STEPWELL_REST_PASSWORD +\*{8} +environment$/m);
    expect(stdout).toMatch(/^STEPWELL_TIMEOUT +5m +environment$/m);
    expect(stdout).toMatch(/^STEPWELL_RETRIES +3 +default$/m);
    expect(stdout).toMatch(/^STEPWELL_TOKEN +- +generated at the first start$/m);
    expect(stdout).toMatch(/^STEPWELL_CLUSTER_SECRET +- +default$/m);
    expect(stdout.trim().split('\n')).toHaveLength(readConfiguration({}).origins.length);
  });

  test.each([
    [{ STEPWELL_TOKEN: 'short' }, 'STEPWELL_TOKEN holds a secret of fewer than 16 characters'],
    [
      { STEPWELL_TOKEN: 'one-secret-for-two', STEPWELL_REST_PASSWORD: 'one-secret-for-two' },
      'STEPWELL_REST_PASSWORD holds a secret of STEPWELL_TOKEN',
    ],
  ])('refuses the secrets that a start refuses, and shows none: %j', async (secrets, reason) => {
    for (const command of ['config', 'start']) {
      const { code, stdout, stderr } = await run([command], secrets);
      expect([command, code, stdout]).toEqual([command, 64, '']);
      expect(stderr).toContain(reason);
    }
  });

  test('creates no data folder', async () => {
    await run(['config']);
    await expect(stat(join(directory, 'data'))).rejects.toThrow('ENOENT');
  });
});

describe('the server', () => {
  test('generates credentials once, shows them once, and ends with 0 on SIGTERM', async () => {
    const first = await startProcess(['start']);
    const token = valueIn(first.stdout(), 'STEPWELL_TOKEN');
    const user = JSON.parse(Buffer.from(token, 'base64').toString());
    expect(user).toEqual({ UserID: expect.any(String), Password: expect.any(String) });
    expect(first.stdout()).toContain('an acknowledgement means: on disk (fsync strict)');
    expect(first.stdout()).toMatch(/deliveries may reach: the public internet, 127\.0\.0\.0\/8/);
    const headers = { authorization: `Bearer ${token}` };
    expect((await request(`${first.url}/v2/nowhere`, { headers })).statusCode).toBe(404);
    expect((await first.end('SIGTERM')).code).toBe(0);

    const { mode } = await stat(join(directory, 'data', 'credentials.json'));
    expect(mode & 0o777).toBe(0o600);

    const second = await startProcess(['start']);
    expect(second.stdout()).not.toContain('STEPWELL_TOKEN');
    expect((await request(`${second.url}/v2/nowhere`, { headers })).statusCode).toBe(404);
    const { code, stdout } = await run(['config']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^STEPWELL_TOKEN +\*{8} +file$/m)]);
    expect((await second.end('SIGINT')).code).toBe(0);
  });

  test('dev shows all that a client needs, and serves the client', async () => {
    const server = await startProcess(['dev']);
    const { url } = server;
    const said = Object.fromEntries(
      [...server.stdout().matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(said).toEqual({
      QSTASH_DEV: 'true',
      QSTASH_DEV_PORT: new URL(url).port,
      QSTASH_URL: url,
      QSTASH_TOKEN: expect.any(String),
      QSTASH_CURRENT_SIGNING_KEY: expect.any(String),
      QSTASH_NEXT_SIGNING_KEY: expect.any(String),
      STEPWELL_REST_USERNAME: expect.any(String),
      STEPWELL_REST_PASSWORD: expect.any(String),
    });
    const bearer = { authorization: `Bearer ${said['QSTASH_TOKEN']}` };
    const keys = await request(`${url}/v2/keys`, { headers: bearer });
    expect(await keys.body.json()).toEqual({
      current: said['QSTASH_CURRENT_SIGNING_KEY'],
      next: said['QSTASH_NEXT_SIGNING_KEY'],
    });
    const pair = `${said['STEPWELL_REST_USERNAME']}:${said['STEPWELL_REST_PASSWORD']}`;
    const basic = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    expect((await request(`${url}/topics`, { headers: basic })).statusCode).toBe(200);
    expect((await server.end('SIGTERM')).code).toBe(0);
    await expect(stat(join(directory, 'data', 'credentials.json'))).rejects.toThrow('ENOENT');
  });

  test('ends with 75 if its port is taken, and names the setting', async () => {
    const server = await startProcess(['start']);
    const { port } = new URL(server.url);
    const { code, stderr } = await run(['start'], {
      STEPWELL_PORT: port,
      STEPWELL_DATA_DIR: join(directory, 'other'),
    });
    expect([code, stderr]).toEqual([
      75,
      `stepwell: port ${port} of 127.0.0.1 is in use by another program; ` +
        'set STEPWELL_PORT to a free one, or to 0 for any\n',
    ]);
    await server.end('SIGTERM');
  });

  test('ends with 64 if its host is not an address of this machine', async () => {
    const { code, stderr } = await run(['start'], { STEPWELL_HOST: '192.0.2.1' });
    expect([code, stderr]).toEqual([
      64,
      'stepwell: STEPWELL_HOST 192.0.2.1 is not an address of this machine\n',
    ]);
  });

  test('a credentials file of another program is refused and stays', async () => {
    const server = await startProcess(['start']);
    await server.end('SIGTERM');
    const path = join(directory, 'data', 'credentials.json');
    await writeFile(path, '{"password": "x"}');
    const { code, stderr } = await run(['start']);
    expect([code, stderr]).toEqual([64, expect.stringContaining('not a credentials file')]);
    expect(await readFile(path, 'utf8')).toBe('{"password": "x"}');
  });
});

describe('--data-dir', () => {
  test('takes precedence over STEPWELL_DATA_DIR in every command that uses a folder', async () => {
    const folder = join(directory, 'given');
    const option = ['--data-dir', folder];
    const shown = await run(['config', ...option]);
    expect(shown.stdout).toMatch(new RegExp(`^STEPWELL_DATA_DIR +${folder} +option$`, 'm'));
    for (const command of ['start', 'dev']) {
      const server = await startProcess([command, ...option]);
      expect((await server.end('SIGTERM')).code).toBe(0);
    }
    expect(await readdir(folder)).toContain('credentials.json');
    await expect(stat(join(directory, 'data'))).rejects.toThrow('ENOENT');
    for (const words of [['print'], ['verify']]) {
      expect((await run(['journal', ...words, ...option])).code).toBe(0);
      expect((await run(['journal', ...words])).code).toBe(64);
    }
  });
});

describe('standard output that cannot be written', () => {
  /** A shell command that runs another one with its standard output on a full disk. */
  const onFullDisk = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];

  it('ends a command with an error and 74', async () => {
    const data = join(directory, 'data');
    const { code, stderr } = await runProgram(data, ['config'], {}, onFullDisk);
    expect(stderr).toBe(
      'stepwell: standard output cannot be written: ENOSPC: no space left on device, write\n',
    );
    expect(code).toBe(74);
  });

  it('does not end a server', async () => {
    const port = await freePort();
    const [command = '', ...rest] = [...onFullDisk, process.execPath, program, 'start'];
    const env = environment({ STEPWELL_PORT: String(port) });
    const child = killedAtLast(spawn(command, rest, { env, stdio: 'ignore' }));
    const ended = new Promise((resolve) => child.once('close', resolve));
    const isReady = () =>
      request(`http://127.0.0.1:${port}/health/ready`).then(
        async ({ statusCode, body }) => {
          await body.dump();
          return statusCode === 200;
        },
        () => false,
      );
    while (child.exitCode === null && !(await isReady())) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
