import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../../../src/engine/clock.js';
import { KeptConnection } from '../../../support/clients/kept-connection.js';
import { bodyOf, statusOf } from '../../../support/clients/raw-request.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
let connection: KeptConnection;
/** The number of requests that Node's server has read. */
let readByNode = 0;
/** The connections, as the server sees them. */
const accepted: Socket[] = [];

beforeAll(async () => {
  server = await startServer();
  const own = server.application.nest.getHttpServer();
  own.on('connection', (socket: Socket) => accepted.push(socket));
  own.on('request', () => {
    readByNode += 1;
  });
});

afterAll(() => server.remove());

beforeEach(async () => {
  readByNode = 0;
  connection = await KeptConnection.open(server.port);
});

afterEach(() => connection.close());

function request(body = 'hello', ...lines: string[]): string {
  return [
    'POST /v2/publish/http://example.com/orders HTTP/1.1',
    'Host: here',
    `Authorization: ${server.bearer}`,
    'Svc-Delay: 1h',
    ...lines,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

const deduplicated = (id: string) => request('hello', `Svc-Deduplication-Id: ${id}`);

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`there is no metric ${name}`);
  return Number(value);
}

test("ordinary requests of a connection never reach Node's server", async () => {
  const ids = new Set<unknown>();
  for (let count = 0; count < 5; count += 1) {
    const answer = await connection.ask(request(`body ${count}`));
    expect(statusOf(answer)).toBe(200);
    ids.add(idIn(answer));
  }
  expect([ids.size, readByNode]).toEqual([5, 0]);
});

test.each(['http%3A%2F%2Fexample.com%2Forders', 'http://example.com/a%20b?c=%C3%A4'])(
  'ordinary requests to %s do not reach it either',
  async (destination) => {
    const text = request().replace('http://example.com/orders', destination);
    expect(statusOf(await connection.ask(text))).toBe(200);
    expect(readByNode).toBe(0);
  },
);

test('a body may arrive after its head, in pieces', async () => {
  const text = request('x'.repeat(3000));
  for (let at = 0; at < text.length - 600; at += 600) {
    connection.socket.write(text.slice(at, at + 600));
    await pause(5);
  }
  const rest = Math.floor((text.length - 1) / 600) * 600;
  expect(statusOf(await connection.ask(text.slice(rest)))).toBe(200);
  expect(readByNode).toBe(0);
});

test('a long body is read by sockets, too, and one of more than a mebibyte by Node', async () => {
  const batch = (body: string) =>
    connection.ask(request(body).replace('publish/http://example.com/orders', 'batch'));
  for (const bytes of [20_000, 500_000, 1_000_000]) {
    const body = JSON.stringify([{ destination: 'http://a/', body: 'x'.repeat(bytes) }]);
    expect(statusOf(await batch(body))).toBe(200);
  }
  expect(readByNode).toBe(0);
  expect(await metric('stepwell_in_flight_bytes')).toBe(0);
  readByNode = 0;
  expect(statusOf(await batch(`[${' '.repeat(1024 * 1024)}]`))).toBe(400);
  expect(readByNode).toBe(1);
});

test("a head in pieces is read by Node's server, and so are later requests", async () => {
  const text = request();
  connection.socket.write(text.slice(0, 40));
  await pause(1200);
  expect(statusOf(await connection.ask(text.slice(40)))).toBe(200);
  expect(statusOf(await connection.ask(text))).toBe(200);
  expect(readByNode).toBe(2);
});

test('a body may be late, and has its space reserved from its beginning', async () => {
  const text = request('x'.repeat(300_000));
  connection.socket.write(text.slice(0, 100_000));
  while ((await metric('stepwell_in_flight_bytes')) !== 300_000) await pause(5);
  readByNode = 0;
  await pause(1200);
  expect(statusOf(await connection.ask(text.slice(100_000)))).toBe(200);
  expect(readByNode).toBe(0);
  while ((await metric('stepwell_in_flight_bytes')) !== 0) await pause(5);
});

test('a body that does not arrive in time is refused and frees its space', async () => {
  const { after } = systemClock;
  // Checks run as fast as they can, so that 30 s are over soon.
  systemClock.after = (ms, work) => after(ms === 500 ? 1 : ms, work);
  try {
    const other = await startServer({ ports: { clock: { ...systemClock } } });
    const client = await KeptConnection.open(other.port);
    const text = request('x'.repeat(300_000)).replace(server.bearer, other.bearer);
    const answer = await client.ask(text.slice(0, -2));
    expect([statusOf(answer), bodyOf(answer)]).toEqual([408, expect.anything()]);
    while (!client.isClosed) await pause(5);
    const metrics = await (await fetch(`${other.url}/metrics`)).text();
    expect(metrics).toMatch(/^stepwell_in_flight_bytes 0$/m);
    await other.remove();
  } finally {
    systemClock.after = after;
  }
});

const idIn = (answer: string) => (bodyOf(answer) as { messageId: string }).messageId;

test('requests that arrive before the answer to the first are answered in order', async () => {
  const names = ['first', 'second', 'third'];
  connection.socket.write(names.map(deduplicated).join(''));
  const ids: string[] = [];
  for (const _name of names) ids.push(idIn(await connection.answer()));
  expect(new Set(ids).size).toBe(3);
  const other = await KeptConnection.open(server.port);
  for (const name of [...names].reverse()) {
    other.socket.write(deduplicated(name));
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const id of [...ids].reverse()) expect(idIn(await other.answer())).toBe(id);
  other.close();
});

test('a request that is not ordinary is answered on the same connection', async () => {
  expect(statusOf(await connection.ask(request()))).toBe(200);
  const keys = `GET /v2/keys HTTP/1.1\r\nHost: a\r\nAuthorization: ${server.bearer}\r\n\r\n`;
  expect(bodyOf(await connection.ask(keys))).toHaveProperty('current');
  expect(statusOf(await connection.ask(request()))).toBe(200);
  expect(readByNode).toBe(2);
});

test('a client that ends its side behind a request gets the answer', async () => {
  connection.socket.end(request());
  expect(statusOf(await connection.answer())).toBe(200);
  while (!connection.isClosed) await pause(5);
});

test('a client that ends its side within a request is refused and publishes nothing', async () => {
  const text = deduplicated('cut');
  connection.socket.end(text.slice(0, -2));
  expect(statusOf(await connection.answer())).toBe(400);
  const other = await KeptConnection.open(server.port);
  expect(bodyOf(await other.ask(text))).not.toHaveProperty('deduplicated');
  other.close();
});

test('a client that breaks off within a request is counted', async () => {
  const before = await metric('stepwell_http_aborted_requests_total');
  const { localPort } = connection.socket;
  const begun = request().slice(0, -2);
  connection.socket.write(begun);
  const arrived = () => accepted.find(({ remotePort }) => remotePort === localPort)?.bytesRead ?? 0;
  while (arrived() < begun.length) await pause(1);
  connection.close();
  while ((await metric('stepwell_http_aborted_requests_total')) === before) await pause(10);
  expect(await metric('stepwell_http_aborted_requests_total')).toBe(before + 1);
});

test('an answer that is longer than one write arrives whole', async () => {
  const headers = { authorization: server.bearer };
  const endpoints = Array.from({ length: 10 }, (_, index) => ({
    url: `http://example.com/${index}`,
  }));
  const body = JSON.stringify({ endpoints });
  await fetch(`${server.url}/v2/topics/many/endpoints`, { method: 'POST', headers, body });
  const batch = JSON.stringify(
    Array.from({ length: 200 }, () => ({ destination: 'many', headers: { 'Svc-Delay': '1h' } })),
  );
  const answer = await connection.ask(
    request(batch).replace('/v2/publish/http://example.com/orders', '/v2/batch'),
  );
  const receipts = bodyOf(answer) as unknown[][];
  expect(receipts.map((each) => each.length)).toEqual(Array.from({ length: 200 }, () => 10));
  expect(statusOf(await connection.ask(request()))).toBe(200);
  expect(readByNode).toBe(1);
});

test('an idle connection does not hold up a stop, and is closed in time', async () => {
  const { after } = systemClock;
  const other = await startServer({ ports: { clock: { ...systemClock } } });
  // Checks run as fast as they can, so that 65 s are over soon.
  systemClock.after = (ms, work) => after(ms === 500 ? 1 : ms, work);
  try {
    const text = request().replace(server.bearer, other.bearer);
    const idle = await KeptConnection.open(other.port);
    expect(statusOf(await idle.ask(text))).toBe(200);
    while (!idle.isClosed) await pause(5);
    const held = await KeptConnection.open(other.port);
    expect(statusOf(await held.ask(text))).toBe(200);
    await other.remove();
    while (!held.isClosed) await pause(5);
  } finally {
    systemClock.after = after;
  }
});

test("moving the server's clock does not end the connections of its clients", async () => {
  const clock = new ManualClock();
  const other = await startServer({ ports: { clock } });
  const kept = await KeptConnection.open(other.port);
  const text = request().replace(server.bearer, other.bearer);
  expect(statusOf(await kept.ask(text))).toBe(200);
  clock.advance(3_600_000);
  expect(statusOf(await kept.ask(text))).toBe(200);
  kept.close();
  await other.remove();
});
