import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { statusOf } from '../../support/clients/raw-request.js';
import { startServer } from '../../support/server.js';

test('a request in flight is answered before the server stops to listen', async () => {
  const server = await startServer();
  const { life, nest } = server.application;
  const arrival = once(nest.getHttpServer(), 'request');
  const socket = connect(server.port, '127.0.0.1');
  const answer = text(socket);
  const head = ['POST /nowhere HTTP/1.1', 'Host: here', `Authorization: ${server.basic}`];
  socket.write(`${[...head, 'Content-Length: 2'].join('\r\n')}\r\n\r\na`);
  await arrival;
  const stopped = server.stop();
  expect(life.status.state).toBe('draining');
  socket.write('b');
  expect(statusOf(await answer)).toBe(404);
  expect(await stopped).toBe(true);
  await expect(request(`${server.url}/health/live`)).rejects.toThrow('ECONNREFUSED');
  await server.remove();
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
