import { request } from 'undici';
import { systemClock } from '../../../src/engine/clock.js';
import { addressesOf, listenToo } from '../../../src/server/inbound/other-addresses.js';
import { askFrom, openConnections, SilentClients } from '../../support/clients/silent-clients.js';
import { startServer } from '../../support/server.js';

/** With this clock no connection has been silent for long. */
const clock = { ...systemClock, monotonic: () => 0 };

test('only localhost stands for several addresses', async () => {
  expect(await addressesOf('0.0.0.0')).toEqual(['0.0.0.0']);
  expect(await addressesOf('localhost')).toContain('127.0.0.1');
});

test('a server on localhost is found by its name and by its address', async () => {
  const server = await startServer({ environment: { STEPWELL_HOST: 'localhost' } });
  expect(server.url).toBe(`http://localhost:${server.port}`);
  for (const host of ['localhost', '127.0.0.1']) {
    const { statusCode } = await request(`http://${host}:${server.port}/health/ready`);
    expect(statusCode).toBe(200);
  }
  await server.remove();
});

test('connections to another address are counted and served like all others', async () => {
  const environment = { STEPWELL_CONNECTIONS_MAX: '4', STEPWELL_CONNECTIONS_PER_ADDRESS: '4' };
  const server = await startServer({ environment, ports: { clock } });
  const listener = await listenToo(
    server.application.nest.getHttpServer(),
    '127.0.0.2',
    server.port,
  );
  const ask = () =>
    askFrom('127.0.0.3', `http://127.0.0.2:${server.port}/v2/keys`, {
      authorization: server.bearer,
    });
  expect((await ask()).status).toBe(200);
  const clients = new SilentClients(server.port);
  await clients.open(4);
  await openConnections(server.application.nest.getHttpServer(), 4);
  expect((await ask()).status).toBe(503);
  clients.end();
  listener?.close();
  await server.remove();
});

test('an address that cannot be listened on is left out', async () => {
  const server = await startServer();
  const { nest } = server.application;
  expect(await listenToo(nest.getHttpServer(), '192.0.2.1', server.port)).toBe(null);
  expect(await listenToo(nest.getHttpServer(), '127.0.0.1', server.port)).toBe(null);
  await server.remove();
});
