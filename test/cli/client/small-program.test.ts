/** What the program loads for a command that only sends requests to a server (ADR 75). */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../../support/program/program.js';
import { startServer, type TestServer } from '../../support/server.js';

const file = join(import.meta.dirname, '../../../dist/src/program/stepwell.cjs');
/** Every kilobyte has to be read and compiled before any command runs. */
const bytesMax = 256 * 1024;

let folder = '';
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'stepwell-small-'));
  await cp(program, join(folder, 'bin/stepwell.cjs'));
  await cp(file, join(folder, 'dist/src/program/stepwell.cjs'));
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true });
});

/** Runs `stepwell <words>` in a folder without the parts of the program and without packages. */
function alone(words: string): Promise<string> {
  const env = { PATH: process.env['PATH'], STEPWELL_URL: server.url, STEPWELL_TOKEN: server.token };
  return new Promise((resolve, reject) => {
    const command = [join(folder, 'bin/stepwell.cjs'), ...words.split(' ')];
    execFile(process.execPath, command, { env, cwd: folder }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}

it('the program without its parts is small', async () => {
  expect((await stat(file)).size).toBeLessThan(bytesMax);
});

it.each([
  ['--help', /^ {2}journal /m],
  ['help journal verify', /--against/],
  ['completion bash', /"journal verify"\)/],
  ['start --help', /--data-dir/],
  ['msg publish https://example.com/hook --delay 1h', /^\{"messageId":"msg_/],
  ['msg ls', /^\{"messageId":"msg_/],
  ['keys show', /"current":/],
  ['queue ls', /^$/],
])('stepwell %s loads no other file', async (words, said) => {
  expect(await alone(words)).toMatch(said);
});

it('help reports no error if its reader has gone', async () => {
  const piped = 'set -o pipefail; "$0" "$1" --help | true';
  const said = await new Promise((resolve) => {
    execFile('bash', ['-c', piped, process.execPath, program], (error, _stdout, stderr) => {
      resolve([error?.code ?? 0, stderr]);
    });
  });
  expect(said).toEqual([0, '']);
});
