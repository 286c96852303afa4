import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type Server as HttpServer, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { listeningPort } from '../../../src/http/listening-port.js';
import { until } from '../../support/cluster/test-cluster.js';
import { killedAtLast } from '../../support/leftovers.js';
import { onTerminal } from '../../support/program/on-terminal.js';
import { program, runProgram } from '../../support/program/program.js';
import { freePort, ServerProcess } from '../../support/program/server-process.js';
import { startServer } from '../../support/server.js';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-reach-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a client command finds a running server and its token by the data folder', async () => {
  const data = join(folder, 'data');
  const made = { STEPWELL_TOKEN: undefined, STEPWELL_REST_PASSWORD: undefined };
  const server = await ServerProcess.start(data, await freePort(), made);
  const { code, stdout } = await runProgram(data, ['env', '--json']);
  const kept = JSON.parse(await readFile(join(data, 'address.json'), 'utf8'));
  await server.kill('SIGTERM');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ QSTASH_URL: kept.url });
  // The address file holds no secrets; the credentials are in their own file.
  expect(Object.keys(kept)).toEqual(['url', 'dialect']);
  await expect(readFile(join(data, 'address.json'))).rejects.toThrow('ENOENT');
});

it.each(['192.0.2.1', '127.0.0.1.test'])(
  'a folder that names another machine, %s, sends it no token',
  async (host) => {
    const kept = { url: `http://${host}:8080`, token: 't' };
    await writeFile(join(folder, 'address.json'), JSON.stringify(kept));
    const token = { STEPWELL_TOKEN: 'secret' };
    const { code, stderr } = await runProgram(folder, ['queue', 'ls'], token);
    expect(stderr).not.toContain(host);
    expect(code).not.toBe(0);
  },
);

it('tail waits for a server that is away, whatever a proxy answers meanwhile', async () => {
  const server = await startServer();
  let isAway = false;
  let [refused, followed, looks] = [0, 0, 0];
  const proxy = createHttpServer((incoming, outgoing) => {
    const { url = '', method = 'GET', headers } = incoming;
    const isLive = url.startsWith('/v2/live');
    const isLook = url.startsWith('/v2/logs');
    if (isLook) looks += 1;
    if (isAway || (isLook && looks === 1)) {
      if (isLive) refused += 1;
      outgoing.writeHead(503).end();
      return;
    }
    const passedOn = request(`${server.url}${url}`, { method, headers }, (answer) => {
      if (isLive) followed += 1;
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing).on('close', () => answer.destroy());
    });
    incoming.pipe(passedOn);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${listeningPort(proxy)}`;
  const words = [program, 'tail', '--state', 'created', '--url', url, '--token', server.token];
  const tail = killedAtLast(spawn(process.execPath, words));
  const rows = createInterface(tail.stdout)[Symbol.asyncIterator]();
  const publish = (label: string) => {
    const headers = { authorization: server.bearer, 'svc-label': label, 'svc-delay': '1h' };
    return fetch(`${server.url}/v2/publish/https://example.com/`, { method: 'POST', headers });
  };
  const shown = async () => JSON.parse((await rows.next()).value).label;
  await until(() => followed === 1);
  await publish('0');
  await until(() => looks > 0);
  for (const round of [1, 2]) {
    isAway = true;
    proxy.closeAllConnections();
    await until(() => refused === round);
    isAway = false;
    await until(() => followed === round + 1);
    await publish(`${round}`);
    if (round === 1) expect(await shown()).toBe('0');
    expect(await shown()).toBe(`${round}`);
  }
  tail.kill();
  proxy.close();
  await server.remove();
});

it('only the given token is sent, even if the server would accept more credentials', async () => {
  const data = join(folder, 'data');
  const names = ['STEPWELL_TOKEN', 'STEPWELL_REST_USERNAME', 'STEPWELL_REST_PASSWORD'];
  const made = Object.fromEntries(names.map((name) => [name, undefined]));
  const server = await ServerProcess.start(data, await freePort(), made);
  const run = (words: readonly string[], environment = {}) =>
    runProgram(data, [...words, '--data-dir', data], environment);
  expect(await run(['topic', 'create', 'rides', '--partitions', '1'])).toMatchObject({ code: 0 });
  const reader = await run(['token', 'create', 'reader', '--role', 'read']);
  const { token } = JSON.parse(reader.stdout) as { token: string };
  const remove = ['topic', 'delete', 'rides', '--token', token];
  expect(await run(remove)).toMatchObject({ code: 77 });
  const { restUsername, restPassword } = JSON.parse(
    await readFile(join(data, 'credentials.json'), 'utf8'),
  );
  const full = { STEPWELL_REST_USERNAME: restUsername, STEPWELL_REST_PASSWORD: restPassword };
  expect(await run(remove, full)).toMatchObject({ code: 77 });
  const garbage = await run(['token', 'ls', '--token', 'garbage'], full);
  expect(garbage.stderr).toContain('or a named token in --token');
  expect(garbage.code).toBe(77);
  expect(await run(['token', 'ls', '--token', ''], full)).toMatchObject({ code: 64 });
  const listed = await run(['topic', 'ls', '--token', token]);
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('rides') });
  await server.kill('SIGTERM');
});

it.each(['not a url', '127.0.0.1:18090', 'localhost:8080', 'ftp://127.0.0.1', ''])(
  'the URL %j is a wrong command line, 64',
  async (url) => {
    const option = await runProgram(folder, ['queue', 'ls', '--url', url]);
    expect(option.stderr).toContain(`--url ${url} is not a URL like http://127.0.0.1:8080`);
    expect(option.code).toBe(64);
    if (url === '') return;
    const setting = await runProgram(folder, ['queue', 'ls'], { STEPWELL_URL: url });
    expect([setting.code, setting.stderr]).toEqual([64, expect.stringContaining('STEPWELL_URL')]);
  },
);

it('no server at the URL is exit code 69, a wrong token 77, a wrong option 64', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const gone = await runProgram(folder, ['queue', 'ls'], { STEPWELL_URL: url });
  expect(gone.code).toBe(69);
  expect(gone.stderr).toContain(`no Stepwell answers at ${url}`);
  const server = await startServer();
  const environment = { STEPWELL_URL: server.url, STEPWELL_TOKEN: 'wrong-wrong-wrong' };
  const wrong = await runProgram(folder, ['queue', 'ls'], environment);
  const misspelt = await runProgram(folder, ['queu', 'ls'], environment);
  await server.remove();
  expect(wrong.code).toBe(77);
  expect(wrong.stderr).toContain("give the server's token in STEPWELL_TOKEN or --token");
  expect(misspelt.code).toBe(64);
  expect(misspelt.stderr).toContain('(Did you mean queue?)');
});

it('the clock cannot be set back, and an unknown option is reported', async () => {
  const environment = { STEPWELL_URL: `http://127.0.0.1:${await freePort()}` };
  const back = await runProgram(folder, ['clock', '-3d'], environment);
  const misspelt = await runProgram(folder, ['clock', '--jsno'], environment);
  expect([back.code, misspelt.code]).toEqual([64, 64]);
  expect(back.stderr).toContain('time only moves forward: stepwell clock +3d');
  expect(misspelt.stderr).toContain("unknown option '--jsno'");
});

it('a connection that is cut without an answer is exit code 69, too', async () => {
  const cutting = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
  const { port } = cutting.address() as AddressInfo;
  const { code } = await runProgram(folder, ['queue', 'ls'], {
    STEPWELL_URL: `http://127.0.0.1:${port}`,
  });
  cutting.close();
  expect(code).toBe(69);
});

it('a page instead of a stream ends a tail with 1', async () => {
  const other = createHttpServer((_request, response) => response.end('<h1>hello</h1>'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const url = `http://127.0.0.1:${listeningPort(other)}`;
  const { code, stderr } = await runProgram(folder, ['tail'], { STEPWELL_URL: url });
  other.close();
  expect(stderr).toContain(`${url} did not answer with a stream`);
  expect(code).toBe(1);
});

describe('the answer from before the connection was cut', () => {
  const messages = Array.from({ length: 30 }, (_, place) => ({ messageId: `msg_${place}` }));
  let cutting: HttpServer;
  let environment = {};

  beforeAll(async () => {
    // The server answers the first page and cuts the request for the second.
    cutting = createHttpServer(({ url = '' }, response) => {
      if (url.includes('cursor=')) response.destroy();
      else response.end(JSON.stringify({ messages, cursor: 'more' }));
    });
    await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
    environment = { STEPWELL_URL: `http://127.0.0.1:${listeningPort(cutting)}` };
  });
  afterAll(() => cutting.close());

  it('reaches a pipe', async () => {
    const { code, stdout } = await runProgram(folder, ['msg', 'ls'], environment);
    const lines = stdout.split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line))).toEqual(messages);
    expect(code).toBe(69);
  });

  it('reaches a terminal, before the error', async () => {
    const { code, text } = await onTerminal(['msg', 'ls'], environment);
    const shown = [...text.matchAll(/^msg_\d+|no Stepwell answers/gm)].map(([found]) => found);
    expect(shown).toEqual([...messages.map((each) => each.messageId), 'no Stepwell answers']);
    expect(code).toBe(69);
  });
});

it('sink answers with the given status and shows each delivery', async () => {
  const sink = killedAtLast(
    spawn(process.execPath, [program, 'sink', '--fail', '1', '--status', '202'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const lines = createInterface({ input: sink.stdout })[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  const { url } = JSON.parse(String(first)) as { url: string };
  const headers = { 'svc-message-id': 'msg_1' };
  const statuses: number[] = [];
  for (const body of ['one', 'two']) {
    statuses.push((await fetch(`${url}/hook`, { method: 'POST', headers, body })).status);
  }
  expect(statuses).toEqual([500, 202]);
  const rows = [await lines.next(), await lines.next()].map(({ value }) => JSON.parse(value));
  expect(rows).toMatchObject([
    { messageId: 'msg_1', attempt: 1, status: 500, body: 'one' },
    { messageId: 'msg_1', attempt: 2, status: 202, body: 'two' },
  ]);
  sink.kill();
  await once(sink, 'exit');
});

it('sink says that its port is in use, and ends with 75', async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as AddressInfo;
  const { code, stderr } = await runProgram(folder, ['sink', String(port)]);
  holder.close();
  expect([code, stderr]).toEqual([
    75,
    `stepwell: port ${port} is in use by another program; give another port, or none for any free one\n`,
  ]);
});

it('sink ends when its output is no longer read', async () => {
  const sink = killedAtLast(
    spawn(process.execPath, [program, 'sink'], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const ended = once(sink, 'exit');
  const [first] = (await once(sink.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(first.toString()) as { url: string };
  sink.stdout.destroy();
  // The pipe may close a moment later: the first delivery that cannot be shown ends the sink.
  while (sink.exitCode === null) {
    await fetch(url, { method: 'POST', body: 'one' }).catch(() => undefined);
  }
  expect(await ended).toEqual([0, null]);
});
