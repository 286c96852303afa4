import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { Engine } from '../../../src/engine/engine.js';
import { callApi } from '../../support/clients/api-call.js';
import { statusOf } from '../../support/clients/raw-request.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { collect } from '../../support/program/kept-bytes.js';
import { startServer } from '../../support/server.js';

/**
 * Opens a connection of its own. A request of `fetch` may use a kept-alive connection that the
 * server has closed without the client having noticed, and be reset on it.
 */
async function connected(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

test('a request in flight is answered before the server stops listening', async () => {
  const server = await startServer();
  const { life, nest } = server.application;
  const arrival = once(nest.getHttpServer(), 'request');
  const socket = connect(server.port, '127.0.0.1');
  const answer = text(socket);
  const head = ['POST /nowhere HTTP/1.1', 'Host: here', `Authorization: ${server.basic}`];
  socket.write(`${[...head, 'Content-Length: 2'].join('\r\n')}\r\n\r\na`);
  await arrival;
  const stopped = server.stop();
  while (life.status.state !== 'draining') await new Promise((next) => setImmediate(next));
  socket.write('b');
  expect(statusOf(await answer)).toBe(404);
  expect(await stopped).toBe(true);
  await expect(connected(server.port)).rejects.toThrow('ECONNREFUSED');
  await server.remove();
});

test('requests are answered while attempts in flight end, and refused afterwards', async () => {
  let arrived = (): void => undefined;
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  let answer = (): void => undefined;
  const endpoint = await RecordingEndpoint.start(async () => {
    arrived();
    await new Promise<void>((resolve) => (answer = resolve));
    return {};
  });
  const server = await startServer();
  const publish = () => callApi(server, 'POST', `/v2/publish/${endpoint.url}/slow`, {}, 'x');
  await publish();
  await arrival;
  const stopped = server.stop();
  // A message that is published now waits for the next start: no more attempts begin.
  for (let times = 0; times < 3; times += 1) expect((await publish()).status).toBe(200);
  expect(server.application.life.status.state).toBe('serving');
  answer();
  expect(await stopped).toBe(true);
  expect(endpoint.requests).toHaveLength(1);
  await expect(connected(server.port)).rejects.toThrow('ECONNREFUSED');
  const next = await startServer({ dataDirectory: server.dataDirectory });
  while (endpoint.requests.length < 2) await new Promise((go) => setTimeout(go, 10));
  const { body } = await callApi(next, 'GET', '/v2/messages');
  expect((body as { messages: unknown[] }).messages).toHaveLength(3);
  await endpoint.stop();
  await next.remove();
});

test('a server that refuses writes is alive but not ready', async () => {
  const server = await startServer();
  server.application.life.refuseWrites('no room');
  const { statusCode, body } = await request(`${server.url}/health/ready`);
  expect(statusCode).toBe(503);
  expect(await body.json()).toEqual({ state: 'readOnly', reason: 'no room' });
  expect((await request(`${server.url}/health/live`)).statusCode).toBe(200);
  await server.remove();
});

test('a second server can be started on the folder of the first', async () => {
  const first = await startServer();
  await first.stop();
  const second = await startServer({ dataDirectory: first.dataDirectory });
  expect(second.token).toBe(first.token);
  await second.remove();
});

test('a server that has stopped leaves memory within seconds', async () => {
  const endpoint = await RecordingEndpoint.start();
  const engine = await stoppedEngine(endpoint);
  // Some timers of a second may still run, but not those that check connections every 30 s.
  const until = Date.now() + 20_000;
  while (Date.now() < until && engine.deref() !== undefined) {
    await new Promise((go) => setTimeout(go, 50));
    collect();
  }
  expect(engine.deref()).toBeUndefined();
  await endpoint.stop();
});

/** The engine of a server that has served clients and destinations, and has stopped. */
async function stoppedEngine(endpoint: RecordingEndpoint): Promise<WeakRef<Engine>> {
  const server = await startServer();
  const engine = new WeakRef(server.application.nest.get(Engine, { strict: false }));
  await callApi(server, 'POST', `/v2/publish/${endpoint.url}/once`, {}, 'x');
  while (endpoint.requests.length === 0) await new Promise((go) => setTimeout(go, 10));
  await server.remove();
  return engine;
}
