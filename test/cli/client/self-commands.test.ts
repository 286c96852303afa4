import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiClient } from '../../../src/cli/connect/api-client.js';
import { checkDisk } from '../../../src/cli/doctor/disk-checks.js';
import { checkNode, leastMinors } from '../../../src/cli/doctor/machine-checks.js';
import { checkServer } from '../../../src/cli/doctor/server-checks.js';
import { type Clock, systemClock } from '../../../src/engine/clock.js';
import { listeningPort } from '../../../src/http/listening-port.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { runProgram } from '../../support/program/program.js';
import { freePort } from '../../support/program/server-process.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let folder = '';

beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'stepwell-doctor-'));
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true });
});

/** The verdicts of `doctor`, by check. */
function verdicts(stdout: string): Record<string, string> {
  const rows = stdout.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    rows.map((row) => {
      const { check, verdict } = JSON.parse(row) as { check: string; verdict: string };
      return [check, verdict];
    }),
  );
}

describe('doctor', () => {
  it('checks a running server and leaves nothing behind', async () => {
    const headers = { authorization: server.bearer, 'upstash-telemetry-sdk': 'an-sdk@1.2.3' };
    await fetch(`${server.url}/v2/queues`, { headers });
    const words = ['doctor', 'http://169.254.169.254/latest', '--data-dir', folder];
    const { code, stdout } = await runClient(server, words);
    expect(verdicts(stdout)).toMatchObject({
      settings: 'ok',
      server: 'ok',
      clock: 'ok',
      destination: 'bad',
    });
    expect(stdout).toContain('an-sdk@1.2.3 (requests: 1)');
    expect(stdout).toContain('link-local and metadata addresses are closed');
    // No setting allows these addresses, so none is named.
    expect(stdout).not.toContain('STEPWELL_ALLOW_NETWORKS');
    expect(code).toBe(1);
    expect(await readdir(folder)).toEqual([]);
    const closed = await runClient(server, ['doctor', 'http://198.18.0.1/', '--data-dir', folder]);
    expect(closed.stdout).toContain('STEPWELL_ALLOW_NETWORKS names what may be reached');
  });

  it('has no file in the folder while it flushes, as it may be killed then', async () => {
    const seen: string[][] = [];
    const watching: Clock = {
      ...systemClock,
      monotonic: () => {
        seen.push(readdirSync(folder));
        return systemClock.monotonic();
      },
    };
    expect(await checkDisk(folder, watching)).toMatchObject({ check: 'disk' });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.flat()).toEqual([]);
  });

  it('checks settings, port and destination if no server answers', async () => {
    const port = String(await freePort());
    const environment = { STEPWELL_PORT: port, STEPWELL_URL: `http://127.0.0.1:${port}` };
    const words = ['doctor', 'http://127.0.0.1:9000/x'];
    const free = await runProgram(folder, words, environment);
    expect(verdicts(free.stdout)).toMatchObject({ port: 'ok', destination: 'ok' });
    const holder = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => holder.listen(Number(port), '127.0.0.1', resolve));
    const taken = await runProgram(folder, ['doctor'], environment);
    holder.close();
    expect(verdicts(taken.stdout)).toMatchObject({ port: 'bad' });
    expect([free.code, taken.code]).toEqual([0, 1]);
  });

  it('waits for a silent server as long as it says, and asks it no more', async () => {
    const silent = createHttpServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${listeningPort(silent)}`;
    const api = new ApiClient({ url, token: null, basic: null, dialect: null });
    const said = `${url} has not answered for 0.1 s`;
    expect(await checkServer(api, systemClock, 100)).toEqual([
      { check: 'server', verdict: 'bad', said },
    ]);
    // What says that it does not serve is not asked for the rest, which it would never answer.
    silent.prependListener('request', (request, response) => {
      if (request.url === '/health/ready') response.writeHead(503).end();
    });
    const words = ['doctor', 'http://127.0.0.1:9000/x'];
    const { stdout } = await runProgram(folder, words, { STEPWELL_URL: url });
    silent.closeAllConnections();
    silent.close();
    expect(verdicts(stdout)).toMatchObject({ server: 'bad', destination: 'ok' });
  });

  it('says of an archive that cannot be used what a start and config refuse it for', async () => {
    const environment = { STEPWELL_ARCHIVE_DIR: join(tmpdir(), 'stepwell-not-mounted') };
    const reason = `STEPWELL_ARCHIVE_DIR ${environment.STEPWELL_ARCHIVE_DIR} is not there: make it,`;
    for (const [command, code] of [
      ['doctor', 1],
      ['config', 64],
      ['start', 64],
    ] as const) {
      const ended = await runProgram(folder, [command], environment);
      expect(`${ended.stdout}${ended.stderr}`).toContain(reason);
      expect([command, ended.code]).toEqual([command, code]);
    }
    const { stdout } = await runProgram(folder, ['doctor'], { STEPWELL_ARCHIVE_DIR: tmpdir() });
    expect(verdicts(stdout)).toMatchObject({ archive: 'ok' });
  });

  it('names every setting that is not valid', async () => {
    const { code, stdout } = await runProgram(folder, ['doctor'], { STEPWELL_FSYNC: 'never' });
    expect(verdicts(stdout)).toMatchObject({ settings: 'bad' });
    expect(code).toBe(1);
  });

  it('knows the versions of Node.js that the package allows', async () => {
    const file = join(import.meta.dirname, '../../../package.json');
    const { engines } = JSON.parse(await readFile(file, 'utf8'));
    const known = [...leastMinors].map(([major, minor]) => `^${major}.${minor}.0`);
    expect(engines.node).toBe(known.join(' || '));
    const judged = ['20.18.3', '20.19.0', '22.12.1', '26.0.0'].map((one) => checkNode(one).verdict);
    expect(judged).toEqual(['bad', 'ok', 'ok', 'warn']);
  });
});

describe('bench', () => {
  it('publishes the requested number of messages and times each of them', async () => {
    const words = ['bench', '--messages', '30', '--concurrency', '4', '--bytes', '10'];
    const [measured] = await answered(server, words);
    expect(measured).toMatchObject({ messages: 30 });
    const { publishMs, deliveryMs } = measured as Record<string, Record<string, number>>;
    for (const times of [publishMs, deliveryMs]) {
      expect(times?.['p50']).toBeGreaterThan(0);
      expect(times?.['p99']).toBeGreaterThanOrEqual(times?.['p50'] ?? Number.NaN);
      expect(times?.['max']).toBeGreaterThanOrEqual(times?.['p99'] ?? Number.NaN);
    }
  });

  it('names a --host on which this machine cannot listen', async () => {
    for (const host of ['nope.invalid', '192.0.2.1']) {
      const words = ['bench', '--messages', '1', '--host', host];
      const { code, stderr } = await runClient(server, words);
      expect([code, stderr]).toEqual([
        64,
        expect.stringContaining(`--host ${host} is not an address`),
      ]);
    }
  });

  it('publishes no more once a message was refused', async () => {
    let asked = 0;
    const refusing = createHttpServer((request, response) => {
      request.resume();
      asked += 1;
      response.writeHead(asked === 20 ? 503 : 201).end('{}');
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const words = ['bench', '--messages', '5000', '--concurrency', '4'];
    const url = `http://127.0.0.1:${listeningPort(refusing)}`;
    const { code } = await runProgram(folder, words, { STEPWELL_URL: url });
    refusing.close();
    expect(code).toBe(69);
    expect(asked).toBeLessThan(30);
  });

  it('refuses to flood a server', async () => {
    const { code, stderr } = await runClient(server, ['bench', '--messages', '1000000']);
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining('the limits are --messages 100000'),
    ]);
  });
});

describe('completion', () => {
  /** The words that bash would offer after these words. */
  async function offered(...words: string[]): Promise<string[]> {
    const script = join(folder, 'completion.bash');
    const asked = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stepwell; declare -p COMPREPLY';
    const args = ['-c', `source "$0"; ${asked}`, script, 'stepwell', ...words];
    const { stdout } = await promisify(execFile)('bash', args);
    // declare -a COMPREPLY=([0]="one" [1]="two")
    return [...stdout.matchAll(/\]="([^"]*)"/g)].map(([, word = '']) => word);
  }

  it('offers commands, subcommands and options in bash', async () => {
    const { stdout } = await runProgram(folder, ['completion', 'bash']);
    await writeFile(join(folder, 'completion.bash'), stdout);
    expect(await offered('sch')).toEqual(['sched']);
    expect(await offered('sched', 'tr')).toEqual(['trigger']);
    expect(await offered('msg', 'publish', 'http://x', '--retr')).toEqual([
      '--retries',
      '--retry-delay',
    ]);
    expect(await offered('dlq', 'ls', '--label', 'msg', '--b')).toEqual(['--by']);
    expect(await offered('token', 'create', 'x', '--role', '')).toEqual([
      'read',
      'operate',
      'admin',
    ]);
  });

  it('offers the same words in fish and zsh', async () => {
    const fish = await runProgram(folder, ['completion', 'fish']);
    expect(fish.stdout).toContain(
      "complete -c stepwell -n '__stepwell_at \\'msg publish\\'' -l 'retries'",
    );
    const zsh = await runProgram(folder, ['completion', 'zsh']);
    expect(zsh.stdout).toContain('"sched trigger") words=');
    expect((await runProgram(folder, ['completion', 'csh'])).code).toBe(64);
  });
});

describe('cluster', () => {
  it('says so if the server is in no cluster', async () => {
    const { code, stderr } = await runClient(server, ['cluster', 'status']);
    expect([code, stderr]).toEqual([66, expect.stringContaining('is not a node of a cluster')]);
  });

  it('requires a confirmation of a handover', async () => {
    const { code, stderr } = await runClient(server, ['cluster', 'handover']);
    expect([code, stderr]).toEqual([64, expect.stringContaining('confirm with --yes')]);
  });
});
