import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { askFrom, SilentClients } from '../../support/clients/silent-clients.js';
import { runProgram } from '../../support/program/program.js';
import { authorization, freePort, ServerProcess } from '../../support/program/server-process.js';

let folder = '';
let endpoint: RecordingEndpoint;
let server: ServerProcess;
let clients: SilentClients;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-many-'));
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  clients.end();
  await server.kill();
  await endpoint.stop();
  await rm(folder, { recursive: true });
});

const filesAtMost = (count: number) => ['sh', '-c', `ulimit -n ${count}; exec "$@"`, 'sh'];

async function start(wrapper: readonly string[] = []): Promise<void> {
  const port = await freePort();
  server = await ServerProcess.start(join(folder, 'data'), port, {}, wrapper);
  clients = new SilentClients(port);
}

const publish = (address: string, body = 'a message') =>
  askFrom(address, `${server.url}/v2/publish/${endpoint.url}/`, {
    method: 'POST',
    authorization,
    body,
  });
/** The head of a publish of two bytes; the server confirms that it has read the head. */
const headOfTwoBytes = () =>
  [
    `POST /v2/publish/${endpoint.url} HTTP/1.1`,
    'Host: a',
    `Authorization: ${authorization}`,
    'Expect: 100-continue',
    'Content-Length: 2\r\n\r\n',
  ].join('\r\n');
const ready = (address: string) => askFrom(address, `${server.url}/health/ready`);

test('1,300 silent connections do not end a process that may open 1,024 files', async () => {
  await start(filesAtMost(1024));
  expect(server.output).toContain('1024 files may be open (ulimit -n)');
  await clients.open(1300);
  expect((await ready('127.0.0.1')).status).toBe(200);
  for (let count = 1; count <= 50; count += 1) {
    expect((await publish('127.0.0.2')).status).toBe(200);
    await endpoint.received(count);
  }
  while ((await publish('127.0.0.1')).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await endpoint.received(51);
  expect(await server.kill('SIGTERM')).toBe(0);
}, 60_000);

test('4,500 silent connections from one address leave other addresses served', async () => {
  await start();
  await clients.open(4500);
  expect((await ready('127.0.0.1')).status).toBe(200);
  expect((await publish('127.0.0.2')).status).toBe(200);
  await clients.open(4500, '127.0.0.3');
  expect((await ready('127.0.0.2')).status).toBe(200);
  await endpoint.received(1);
}, 60_000);

test('SIGTERM closes idle connections at once, and answers requests in flight', async () => {
  await start();
  await clients.open(3);
  await clients.open(3, '127.0.0.1', 'POST /v2/publish/x HTTP/1.1\r\nHost');
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(headOfTwoBytes());
  await new Promise((resolve) => socket.once('data', resolve));
  const gone = server.kill('SIGTERM');
  await clients.allClosed();
  expect(server.child.exitCode).toBe(null);
  const answer = text(socket);
  socket.write('ab');
  expect(await answer).toMatch(/^HTTP\/1.1 200 OK/);
  expect(await gone).toBe(0);
  expect(server.output).not.toContain('did not stop');
}, 60_000);

/** Ten seconds of the time limit are the deadline of requests in flight. */
test('a request that does not end is cut at the deadline, and the exit code is 0', async () => {
  await start();
  const stuck = connect(Number(new URL(server.url).port), '127.0.0.1');
  stuck.on('error', () => undefined);
  stuck.write(headOfTwoBytes());
  await new Promise((resolve) => stuck.once('data', resolve));
  expect((await publish('127.0.0.1')).status).toBe(200);
  expect(await server.kill('SIGTERM')).toBe(0);
  expect(server.output).toContain('did not stop in time');
  stuck.destroy();
}, 60_000);

test('a process that may open too few files does not start', async () => {
  const data = join(folder, 'data');
  const ended = await runProgram(data, ['start'], {}, filesAtMost(256));
  expect(ended.code).toBe(64);
  expect(ended.stderr).toBe(
    'stepwell: this process may open 256 files (ulimit -n) and needs at least 640\n',
  );
}, 60_000);
