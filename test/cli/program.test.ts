import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { type Ended, program, runProgram } from '../support/program.js';

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

/** A server as a process: started until it says so, ended by a signal. */
async function startProcess(words: string[], extra: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...words], { env: environment(extra) });
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
      // What a published launcher waits for.
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
    const { version } = JSON.parse(await readFile(join(program, '../../../package.json'), 'utf8'));
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  test('--help names every command', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const command of ['start', 'dev', 'config', 'journal']) expect(stdout).toContain(command);
  });

  test.each([[['fly']], [['start', 'now']], [['--loud']], [['config', '--all']]])(
    '%s ends with 64 and says why',
    async (words) => {
      const { code, stderr } = await run(words);
      expect(code).toBe(64);
      expect(stderr).toMatch(/^error: /);
    },
  );
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

  test('start refuses credentials that everybody knows', async () => {
    const token = Buffer.from(
      JSON.stringify({ UserID: 'defaultUser', Password: 'defaultPassword' }),
    ).toString('base64');
    const { code, stderr } = await run(['start'], { STEPWELL_TOKEN: token });
    expect(code).toBe(64);
    expect(stderr).toContain('STEPWELL_TOKEN is a published development credential');
  });

  test('dev refuses to be reached by anybody else', async () => {
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
    expect(stdout.trim().split('\n')).toHaveLength(30);
  });

  test('makes no data folder', async () => {
    await run(['config']);
    await expect(stat(join(directory, 'data'))).rejects.toThrow('ENOENT');
  });
});

describe('the server', () => {
  test('generates credentials once, shows them once, and ends with 0 on SIGTERM', async () => {
    const first = await startProcess([]);
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

  test('dev speaks with the credentials that the published clients carry', async () => {
    const server = await startProcess(['dev']);
    const token = valueIn(server.stdout(), 'QSTASH_TOKEN');
    const headers = { authorization: `Bearer ${token}` };
    expect((await request(`${server.url}/v2/nowhere`, { headers })).statusCode).toBe(404);
    expect((await server.end('SIGTERM')).code).toBe(0);
    await expect(stat(join(directory, 'data', 'credentials.json'))).rejects.toThrow('ENOENT');
  });

  test('ends with 1 where its port is taken', async () => {
    const server = await startProcess([]);
    const { code, stderr } = await run(['start'], {
      STEPWELL_PORT: new URL(server.url).port,
      STEPWELL_DATA_DIR: join(directory, 'other'),
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
    await server.end('SIGTERM');
  });

  test('a credentials file of somebody else is refused and stays', async () => {
    const server = await startProcess([]);
    await server.end('SIGTERM');
    const { writeFile } = await import('node:fs/promises');
    const path = join(directory, 'data', 'credentials.json');
    await writeFile(path, '{"password": "x"}');
    const { code, stderr } = await run(['start']);
    expect([code, stderr]).toEqual([64, expect.stringContaining('not a credentials file')]);
    expect(await readFile(path, 'utf8')).toBe('{"password": "x"}');
  });
});
