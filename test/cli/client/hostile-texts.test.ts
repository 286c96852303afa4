import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { killedAtLast } from '../../support/leftovers.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { onTerminal, startOnTerminal } from '../../support/program/on-terminal.js';
import { program, runProgram } from '../../support/program/program.js';
import { itWithShell } from '../../support/program/shells.js';
import { startServer, type TestServer } from '../../support/server.js';

/** Sets the title of a terminal, clears it in two ways, and reverses the direction of text. */
const hostile = '\x1b]0;owned\x07\x1b[2J\x9b2J\u202eevil';
const escaped = String.raw`\u001b]0;owned\u0007\u001b[2J\u009b2J\u202eevil`;

let server: TestServer;
let endpoint: RecordingEndpoint;
let folder = '';
let environment: Record<string, string> = {};

beforeAll(async () => {
  server = await startServer();
  endpoint = await RecordingEndpoint.start();
  folder = await mkdtemp(join(tmpdir(), 'stepwell-hostile-'));
  environment = { STEPWELL_URL: server.url, STEPWELL_TOKEN: server.token };
});
afterAll(async () => {
  await endpoint.stop();
  await server.remove();
  await rm(folder, { recursive: true });
});

/** Publishes a delayed message with this body; returns its id. */
async function waiting(body: string): Promise<string> {
  const path = `/v2/publish/${endpoint.url}/x`;
  const published = await callApi(server, 'POST', path, { 'svc-delay': '1h' }, body);
  return (published.body as { messageId: string }).messageId;
}

itWithShell('script', 'a body reaches a terminal in escapes, as words and as JSON', async () => {
  const id = await waiting(hostile);
  const words = await onTerminal(['msg', 'get', id], environment);
  expect(words.text).toContain(escaped);
  const { text } = await onTerminal(['msg', 'get', id, '--json'], environment);
  expect(text).toContain(escaped);
  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  expect(JSON.parse(text)).toMatchObject({ body: hostile });
});

itWithShell('script', 'sink shows what it is sent in escapes', async () => {
  const sink = startOnTerminal(['sink'], {});
  let text = '';
  const said = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      sink.stdout?.on('data', (chunk) => {
        text += chunk;
        const [, found] = pattern.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
  const url = await said(/(http:\/\/127\.0\.0\.1:\d+) answers/);
  const row = said(/(POST \/hook[^\r\n]*)\r/);
  await fetch(`${url}/hook`, { method: 'POST', body: hostile });
  expect(await row).toContain(escaped);
  sink.kill();
  await once(sink, 'close');
});

it('an error text of the server reaches standard error with escapes', async () => {
  const { code, stderr } = await runClient(server, ['msg', 'get', '\x9b2J']);
  expect([code, stderr]).toEqual([66, 'stepwell: message \\u009b2J not found\n']);
});

it('a name in the journal is shown without the colours that it contains', async () => {
  const authorization = { authorization: server.basic };
  await callApi(server, 'POST', '/produce/rides', authorization, '{"value":"x"}');
  const group = encodeURIComponent('g\x1b[31mred');
  await callApi(server, 'GET', `/consume/${group}/i/rides?timeout=1`, authorization);
  let said = '';
  // A reader of the folder sees events up to the watermark, which follows after a short silence.
  while (!said.includes('MemberJoined')) {
    said = (await runProgram(server.dataDirectory, ['journal', 'print'])).stdout;
  }
  expect(said).toContain(String.raw`consumer-group/g\u001b[31mred#0 MemberJoined`);
  expect(said).not.toContain('\x1b');
});

it('names in a command line lead to no other route', async () => {
  const id = await waiting('stays');
  for (const name of [`../messages/${id}`, `..%2fmessages%2f${id}`, `x/../../messages/${id}`]) {
    await runClient(server, ['queue', 'delete', name]);
    await runClient(server, ['sched', 'delete', name]);
    await runClient(server, ['group', 'delete', name]);
  }
  expect(await answered(server, ['msg', 'get', id])).toMatchObject([{ state: 'DELAYED' }]);
});

it('a token on the command line is not in the list of processes', async () => {
  const tail = killedAtLast(
    spawn(process.execPath, [program, 'tail', '--token', server.token, '--url', server.url]),
  );
  const shown = () => readFile(`/proc/${tail.pid}/cmdline`, 'utf8');
  while ((await shown()).includes(server.token)) await new Promise((done) => setTimeout(done, 50));
  expect(await shown()).toMatch(/^stepwell tail --token \*\*\*\* --url http/);
  tail.kill();
  await once(tail, 'close');
});

it('a token is read from the first line of a file', async () => {
  const file = join(folder, 'token');
  await writeFile(file, `${server.token}\nsomething else\n`);
  const words = ['queue', 'ls', '--url', server.url, '--token', `@${file}`];
  expect(await runProgram(folder, words)).toMatchObject({ code: 0, stdout: '' });
  await writeFile(file, '\n');
  expect(await runProgram(folder, words)).toMatchObject({
    code: 64,
    stderr: `stepwell: ${file} does not begin with a token\n`,
  });
  const gone = [...words.slice(0, -1), `@${file}.none`];
  expect((await runProgram(folder, gone)).code).toBe(66);
});
