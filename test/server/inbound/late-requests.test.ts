/** What clients sent in time is served, although limits passed while the process stood still. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/engine/clock.js';
import { InboundMetrics } from '../../../src/http/inbound.metrics.js';
import { closeIdle, refuseLateRequest } from '../../../src/server/inbound/client-error.js';
import { InboundConnections } from '../../../src/server/inbound/connections.js';
import { standStill } from '../../support/process/stand-still.js';

let server: Server;
let client: Socket;

beforeEach(async () => {
  server = createServer(
    { requestTimeout: 400, headersTimeout: 400, connectionsCheckingInterval: 100 },
    async (request, response) => {
      // It rejects when the connection ends in the middle.
      const body = await text(request).catch(() => null);
      if (body !== null) response.end(`got ${body.length}`);
    },
  );
  server.keepAliveTimeout = 300;
  const ports = {
    clock: systemClock,
    log: pino({ level: 'silent' }),
    metrics: new InboundMetrics(new Registry()),
  };
  const connections = new InboundConnections({ connections: 9, connectionsPerAddress: 9 }, ports);
  connections.guard(server, ({ socket }, giveToNode) => giveToNode(socket));
  server.on('clientError', (error, socket) => {
    refuseLateRequest(error, socket as Socket, connections);
  });
  closeIdle(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
});

afterEach(() => {
  client.destroy();
  server.close();
});

const head = 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n';

async function answer(): Promise<string> {
  const [bytes] = (await once(client, 'data')) as [Buffer];
  return bytes.toString();
}

test('an upload whose last bytes lie in the socket is served', async () => {
  client.write(`${head}01234`);
  await once(server, 'request');
  client.write('56789');
  standStill(1000);
  const served = await answer();
  expect(served).toMatch(/^HTTP\/1\.1 200 /);
  expect(served).toContain('got 10');
});

test('an upload that does not continue is refused', async () => {
  client.write(`${head}01234`);
  expect(await answer()).toMatch(/^HTTP\/1\.1 408 /);
});

test('a head that does not continue is refused', async () => {
  client.write('POST / HTTP/1.1\r\nHost: ');
  expect(await answer()).toMatch(/^HTTP\/1\.1 408 /);
});

test('a request that lies in the socket of an idle connection is served', async () => {
  client.write(`${head}0123456789`);
  expect(await answer()).toContain('got 10');
  client.write(`${head}0123456789`);
  standStill(2000);
  expect(await answer()).toContain('got 10');
});

test('an idle connection is closed', async () => {
  client.write(`${head}0123456789`);
  expect(await answer()).toContain('got 10');
  await once(client, 'close');
});
