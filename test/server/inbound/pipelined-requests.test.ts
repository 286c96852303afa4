import type { Server, ServerResponse } from 'node:http';
import { callApi } from '../../support/clients/api-call.js';
import { KeptConnection } from '../../support/clients/kept-connection.js';
import { startServer, type TestServer } from '../../support/server.js';

/** The most that one read of a connection can return, bytes. */
const readBytes = 64 * 1024;

let server: TestServer;
let connection: KeptConnection;
let inFlight = 0;
let inFlightMax = 0;

beforeEach(async () => {
  server = await startServer();
  connection = await KeptConnection.open(server.port);
  inFlight = 0;
  inFlightMax = 0;
  const http: Server = server.application.nest.getHttpServer();
  http.prependListener('request', (_, response: ServerResponse) => {
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
  });
});

afterEach(async () => {
  connection.close();
  await server.remove();
});

const asked = (target: string, authorization: string, body: string, id: string) =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nX-Request-Id: ${id}\r\n` +
  `Svc-Delay: 1h\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Settles when the server has had time to read all that it is going to read. */
async function manyTurns(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await fetch(`${server.url}/health/live`);
}

test('few of many requests that wait on one connection are read', async () => {
  const admin = { authorization: server.basic };
  await callApi(server, 'POST', '/admin/topics', admin, '{"name":"t","partitions":1}');
  const position = '{"topic":"t","partition":0,"offset":0,"timeout":60000}';
  const request = asked('/fetch', server.basic, position, 'r');
  const count = Math.ceil((10 * readBytes) / request.length);
  connection.socket.write(request.repeat(count));
  while (inFlight === 0) await manyTurns();
  await manyTurns();
  expect(inFlightMax).toBeLessThan((3 * readBytes) / request.length);
  await callApi(server, 'POST', '/produce', admin, '{"topic":"t","value":"there"}');
  for (let answers = 0; answers < count; answers += 1) {
    const answer = await connection.answer();
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"there"');
  }
  expect(inFlightMax).toBeLessThan((3 * readBytes) / request.length);
});

test('all of many requests on one connection are answered in order', async () => {
  const target = '/v2/publish/https://example.com/';
  const requests = Array.from({ length: 500 }, (_, at) =>
    asked(target, server.bearer, 'x'.repeat(at * 10), `r-${at}`),
  );
  // The empty line makes Node's server read all of the requests.
  const bytes = Buffer.from(`\r\n${requests.join('')}`);
  for (let at = 0; at < bytes.length; at += 50_001) {
    connection.socket.write(bytes.subarray(at, at + 50_001));
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const at of requests.keys()) {
    const answer = await connection.answer();
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain(`x-request-id: r-${at}\r\n`);
  }
  expect(inFlightMax).toBeGreaterThan(1);
});

test('only one of several streams on a connection begins, and ends with it', async () => {
  const open = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return Number(/^stepwell_open_streams\{kind="journal"\} (\d+)$/m.exec(text)?.[1]);
  };
  const get = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: ${server.basic}\r\n` +
    'Accept: text/event-stream\r\n\r\n';
  connection.socket.write(get('/admin/journal').repeat(10));
  while ((await open()) === 0) await manyTurns();
  await manyTurns();
  expect(await open()).toBe(1);
  connection.close();
  while ((await open()) > 0) await manyTurns();
});

test('long bodies that follow one another are stored as they were sent', async () => {
  const target = '/v2/publish/https://example.com/';
  const bodies = ['a'.repeat(90_000), 'b'.repeat(20_000), 'c'.repeat(90_000), 'd'.repeat(100)];
  for (let round = 0; round < 10; round += 1) {
    const own = await KeptConnection.open(server.port);
    own.socket.write(bodies.map((body) => asked(target, server.bearer, body, 'r')).join(''));
    for (const body of bodies) {
      const answer = await own.answer();
      const id = /"messageId":"(\w+)"/.exec(answer)?.[1];
      const { body: shown } = await callApi(server, 'GET', `/v2/messages/${id}`);
      expect(shown).toMatchObject({ body });
    }
    own.close();
  }
});

test('one limit holds for the requests that wait on all connections', async () => {
  const admin = { authorization: server.basic };
  await callApi(server, 'POST', '/admin/topics', admin, '{"name":"t","partitions":1}');
  const position = '{"topic":"t","partition":0,"offset":0,"timeout":60000}';
  const first = asked('/fetch', server.basic, position, 'r');
  const behind = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1600);
  const connections: KeptConnection[] = [];
  let closed = 0;
  for (let count = 0; count < 8; count += 1) {
    const each = await KeptConnection.open(server.port);
    each.socket.once('close', () => {
      closed += 1;
    });
    each.socket.write(first + behind);
    connections.push(each);
    await manyTurns();
  }
  while (closed < 3) await manyTurns();
  expect(closed).toBe(3);
  await callApi(server, 'POST', '/produce', admin, '{"topic":"t","value":"there"}');
  const served = connections.filter(({ socket }) => !socket.destroyed);
  for (const each of served) {
    expect(await each.answer()).toContain('"there"');
    for (let answers = 0; answers < 1600; answers += 1) await each.answer();
    each.close();
  }
  // Their room is free again.
  connection.socket.write(first.replace('60000', '1') + behind);
  for (let answers = 0; answers < 1601; answers += 1) await connection.answer();
});
