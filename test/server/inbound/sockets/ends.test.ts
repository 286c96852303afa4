/**
 * How connections end, both for requests that sockets read and for those that Node's server reads.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../../src/engine/clock.js';
import { KeptConnection } from '../../../support/clients/kept-connection.js';
import { statusOf } from '../../../support/clients/raw-request.js';
import { startServer, type TestServer } from '../../../support/server.js';

const { after } = systemClock;
let server: TestServer;

afterEach(async () => {
  systemClock.after = after;
  await server.remove();
});

/** A clock on which a timer of `slow` ms takes `quick` ms. */
const hurried = (slow: number, quick: number) => ({
  ...systemClock,
  after: (ms: number, work: () => void) => after(ms === slow ? quick : ms, work),
});

/** The two readers; bytes that begin with an empty line are read by Node's server. */
const ways = [
  ['a socket', ''],
  ["Node's server", '\r\n'],
] as const;

function request(path: string, who: string, body: string): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: here', `Authorization: ${who}`, 'Svc-Delay: 1h'];
  return `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** A client that has requested more than the buffers of the system hold, and reads none of it. */
async function deafClient(first: string): Promise<{ client: Socket; accepted: Socket }> {
  const arrival = once(server.application.nest.getHttpServer(), 'connection');
  const client = connect(server.port, '127.0.0.1');
  client.on('error', () => undefined).pause();
  const [accepted] = (await arrival) as [Socket];
  const records = Array.from({ length: 700 }, () => '{}').join();
  const text = request('/produce/none?partial=true', server.basic, `[${records}]`);
  client.write(first);
  while (accepted.writableLength === 0) {
    const { bytesWritten } = accepted;
    client.write(text);
    while (accepted.bytesWritten === bytesWritten) await pause(1);
    await pause(1);
  }
  return { client, accepted };
}

test.each(ways)('a stop answers a request for %s whose body arrives later', async (_way, first) => {
  server = await startServer();
  const arrival = once(server.application.nest.getHttpServer(), 'connection');
  const connection = await KeptConnection.open(server.port);
  const [accepted] = (await arrival) as [Socket];
  const text = request('/v2/publish/http://example.com/', server.bearer, 'hello');
  const begun = first + text.slice(0, -2);
  connection.socket.write(begun);
  while (accepted.bytesRead < begun.length) await pause(1);
  const stopped = server.stop();
  await pause(50);
  expect(statusOf(await connection.ask(text.slice(-2)))).toBeGreaterThanOrEqual(200);
  expect(await stopped).toBe(true);
  while (!connection.isClosed) await pause(5);
});

test.each(ways)('a stop cuts a client of %s that reads no answer', async (_way, first) => {
  server = await startServer({ ports: { clock: hurried(10_000, 100) } });
  const { client, accepted } = await deafClient(first);
  expect(await server.stop()).toBe(true);
  expect(accepted.destroyed).toBe(true);
  client.destroy();
});

test.each(ways)('a client of %s that reads no answer is closed in time', async (_way, first) => {
  const clock = { ...systemClock };
  systemClock.after = hurried(30_000, 100).after;
  server = await startServer({ ports: { clock } });
  const { client, accepted } = await deafClient(first);
  await once(accepted, 'close');
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(/^stepwell_stalled_clients_total 1$/m);
  client.destroy();
});

const nonsense = 'no request\r\n\r\n';

test.each(ways)(
  'malformed bytes after a request for %s are refused after its answer',
  async (_way, first) => {
    server = await startServer();
    const connection = await KeptConnection.open(server.port);
    const text = request('/v2/publish/http://example.com/', server.bearer, 'hello');
    connection.socket.write(first + text + nonsense);
    expect([statusOf(await connection.answer()), statusOf(await connection.answer())]).toEqual([
      200, 400,
    ]);
    while (!connection.isClosed) await pause(5);
  },
);

test.each(ways)(
  'a malformed body after requests for %s is refused after their answers',
  async (_way, first) => {
    server = await startServer();
    const connection = await KeptConnection.open(server.port);
    const target = '/v2/publish/http://example.com/';
    const sound = request(target, server.bearer, 'hello');
    const malformed = sound.replace(/content-length: \d+/i, 'Transfer-Encoding: chunked');
    connection.socket.write(first + sound + sound + malformed);
    const statuses: number[] = [];
    for (let answers = 0; answers < 3; answers += 1) {
      statuses.push(statusOf(await connection.answer()));
    }
    expect(statuses).toEqual([200, 200, 400]);
    while (!connection.isClosed) await pause(5);
  },
);

test.each(ways)(
  'CONNECT after a request for %s is refused after its answer',
  async (_way, first) => {
    server = await startServer();
    const connection = await KeptConnection.open(server.port);
    const sound = request('/v2/publish/http://example.com/', server.bearer, 'hello');
    connection.socket.write(
      `${first}${sound}CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\nbytes`,
    );
    expect(statusOf(await connection.answer())).toBe(200);
    expect(statusOf(await connection.answer())).toBe(400);
    while (!connection.isClosed) await pause(5);
  },
);

test('a client can read why it is refused while it continues to send', async () => {
  server = await startServer();
  const connection = await KeptConnection.open(server.port);
  const errors: unknown[] = [];
  connection.socket.on('error', (error) => errors.push(error));
  for (let count = 0; count < 5; count += 1) {
    connection.socket.write(nonsense);
    await pause(10);
  }
  expect(statusOf(await connection.answer())).toBe(400);
  expect(errors).toEqual([]);
  connection.close();
});
