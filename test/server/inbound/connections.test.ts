import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { systemClock } from '../../../src/engine/clock.js';
import { rawRequest, statusOf } from '../../support/clients/raw-request.js';
import { askFrom, openConnections, SilentClients } from '../../support/clients/silent-clients.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let clients: SilentClients;
/** The server measures silence by this time, in ms. */
let now = 0;

afterEach(async () => {
  clients.end();
  await server.remove();
});

async function start(environment: Record<string, string>): Promise<void> {
  now = 0;
  const clock = { ...systemClock, monotonic: () => now };
  server = await startServer({ environment, ports: { clock } });
  clients = new SilentClients(server.port);
}

const health = (address: string) => askFrom(address, `${server.url}/health/ready`);
const keys = (address: string) =>
  askFrom(address, `${server.url}/v2/keys`, { authorization: server.bearer });

async function metric(name: string): Promise<number> {
  const { body } = await askFrom('127.0.0.1', `${server.url}/metrics`);
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1]);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

test('an address with its share of connections gets only answers about health', async () => {
  await start({ STEPWELL_CONNECTIONS_MAX: '8', STEPWELL_CONNECTIONS_PER_ADDRESS: '4' });
  await clients.open(4);
  expect(await keys('127.0.0.1')).toEqual({
    status: 503,
    connection: 'close',
    body: '{"error":"too many connections; try again"}',
  });
  expect(await health('127.0.0.1')).toMatchObject({ status: 200, connection: 'close' });
  expect((await keys('127.0.0.2')).status).toBe(200);
  expect(await metric('stepwell_connections_refused_total')).toBe(3);
  expect(clients.closed).toBe(0);
});

test('if all places are taken, health is answered, and a silent connection gives way', async () => {
  await start({ STEPWELL_CONNECTIONS_MAX: '8', STEPWELL_CONNECTIONS_PER_ADDRESS: '4' });
  await clients.open(4, '127.0.0.1');
  await clients.open(4, '127.0.0.2', 'GET /v2/keys HTTP/1.1\r\n');
  expect((await keys('127.0.0.3')).status).toBe(503);
  expect((await health('127.0.0.3')).status).toBe(200);
  expect(clients.closed).toBe(0);
  now = 1000;
  expect((await keys('127.0.0.3')).status).toBe(200);
  while (clients.closed === 0) await pause();
  expect(clients.closed).toBe(1);
});

/** Sends `request` on a new connection from 127.0.0.1 that stays open. */
async function ask(request: string): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${request} HTTP/1.1\r\nHost: a\r\nAuthorization: ${server.bearer}\r\n`);
  return socket;
}

async function answered(socket: Socket): Promise<string> {
  const answer = once(socket, 'data');
  socket.write('\r\n');
  return String(await answer);
}

test('an idle connection gives way after its answer, and one with a request does not', async () => {
  await start({ STEPWELL_CONNECTIONS_MAX: '8', STEPWELL_CONNECTIONS_PER_ADDRESS: '3' });
  const busy = await ask('POST /v2/publish/http://127.0.0.1:9999/');
  busy.write('Content-Length: 5\r\n\r\n');
  const older = await ask('GET /v2/keys');
  expect(await answered(older)).toMatch(/^keep-alive: timeout=65\r$/im);
  now = 500;
  const newer = await ask('GET /v2/keys');
  await answered(newer);
  expect((await keys('127.0.0.1')).status).toBe(503);
  now = 1000;
  const closed = once(older, 'close');
  expect((await keys('127.0.0.1')).status).toBe(200);
  await closed;
  expect(await answered(await ask('GET /v2/keys'))).toContain('200 OK');
  expect((await keys('127.0.0.1')).status).toBe(503);
  const accepted = once(busy, 'data');
  busy.write('hello');
  expect(String(await accepted)).toMatch(/^HTTP\/1.1 20[01] .*"messageId"/s);
  newer.destroy();
  busy.destroy();
});

test('connections beyond all limits are closed, but health is still answered', async () => {
  await start({ STEPWELL_CONNECTIONS_MAX: '8', STEPWELL_CONNECTIONS_PER_ADDRESS: '4' });
  await clients.open(400);
  expect((await health('127.0.0.1')).status).toBe(200);
  expect((await health('127.0.0.2')).status).toBe(200);
  expect(await metric('stepwell_connections')).toBeLessThanOrEqual(8 + 32);
});

test('a connection beyond the limits that waits gets a place with its request', async () => {
  await start({ STEPWELL_CONNECTIONS_MAX: '1', STEPWELL_CONNECTIONS_PER_ADDRESS: '1' });
  const first = connect(server.port, '127.0.0.1');
  await once(first, 'connect');
  const second = connect(server.port, '127.0.0.1');
  await once(second, 'connect');
  await openConnections(server.application.nest.getHttpServer(), 2);
  first.destroy();
  await openConnections(server.application.nest.getHttpServer(), 1);
  const answer = once(second, 'data');
  second.write(`GET /v2/keys HTTP/1.1\r\nHost: a\r\nAuthorization: ${server.bearer}\r\n\r\n`);
  expect(statusOf(String(await answer))).toBe(200);
  second.destroy();
});

/** Ten seconds of the time limit are those for a head; Node itself only checks every 30. */
test('a connection without a head is closed in time, even if its client is not', async () => {
  await start({});
  await clients.open(10);
  await clients.open(10, '127.0.0.1', 'GET /v2/keys HTTP/1.1\r\nHost: a\r\n');
  const tooLate = new Promise((resolve) => setTimeout(resolve, 20_000, 'too late'));
  expect(await Promise.race([clients.allClosed(), tooLate])).toBe(undefined);
  // A client's side may stay open; that of the server does not.
  while ((await metric('stepwell_connections')) > 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}, 40_000);

test('a connection that cannot be accepted does not end the server', async () => {
  await start({});
  server.application.nest.getHttpServer().emit('error', new Error('accept EMFILE'));
  expect((await health('127.0.0.1')).status).toBe(200);
});

test('an answer that closes the connection reaches a client that is still sending', async () => {
  await start({});
  const long = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1024 * 1024)}\r\n\r\n`;
  expect(statusOf(await rawRequest(server.port, long))).toBe(431);
});
