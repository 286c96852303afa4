import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { systemClock } from '../../../src/engine/clock.js';
import { AddressGuard } from '../../../src/messaging/outbound/address-guard.js';
import { guardedConnector } from '../../../src/messaging/outbound/connector.js';
import { EndpointCaller } from '../../../src/messaging/outbound/endpoint-caller.js';
import { NameResolver } from '../../../src/messaging/outbound/name-resolver.js';
import { DestinationRefused } from '../../../src/messaging/outbound/transport-error.js';
import { selfSigned } from '../../support/clients/self-signed-certificate.js';

/** Listens on loopback until the test ends, and returns the port. */
async function listen(server: Server, toClose: Server[]): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(server);
  return (server.address() as AddressInfo).port;
}

describe('a connection', () => {
  const toClose: Server[] = [];
  let caller: EndpointCaller | undefined;

  function openCaller(port: number): EndpointCaller {
    const opened = new EndpointCaller({
      clock: systemClock,
      allowed: { networks: ['127.0.0.0/8'], hosts: [] },
      overrides: new Map([['overridden.example', { hostname: '127.0.0.1', port }]]),
      originParallelism: 2,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    caller = opened;
    return opened;
  }

  const attemptTo = (host: string, port: number, path = '/', timeoutMs = 30_000) => ({
    url: `https://${host}:${port}${path}`,
    method: 'POST',
    headers: [],
    body: Buffer.from('secret'),
    timeoutMs,
    captureBytes: 100_000,
  });

  function callSecure(host: string, port: number, timeoutMs = 30_000) {
    return openCaller(port).call(attemptTo(host, port, '/', timeoutMs));
  }

  afterEach(async () => {
    await caller?.close();
    for (const server of toClose.splice(0)) server.close();
  });

  function tlsServer(options: { maxVersion?: 'TLSv1.1' } = {}) {
    const seen = { bytes: 0 };
    const server = createTlsServer({ ...selfSigned, ...options, minVersion: 'TLSv1' });
    server.on('secureConnection', (socket) => {
      socket.on('data', (bytes) => (seen.bytes += bytes.length)).on('error', () => undefined);
    });
    server.on('tlsClientError', () => undefined);
    return { server, seen };
  }

  it('to a self-signed certificate fails, and nothing is sent', async () => {
    const { server, seen } = tlsServer();
    const port = await listen(server, toClose);
    const outcome = await callSecure('secure.example', port);
    expect(outcome).toMatchObject({ status: 0, cut: false });
    expect(outcome.error).toMatch(/self-signed certificate/);
    expect(seen.bytes).toBe(0);
  });

  it('gives each call its own answer over TLS, and is reused', async () => {
    // Node reads this option for each connection, but its list of authorities only once.
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const bodyOf = (path: string) => Buffer.alloc(100_000, path.slice(1));
    const server = createHttpsServer(selfSigned, (request, answer) =>
      answer.end(bodyOf(request.url ?? '')),
    );
    let connections = 0;
    server.on('secureConnection', () => {
      connections += 1;
    });
    const port = await listen(server, toClose);
    try {
      const opened = openCaller(port);
      for (const names of ['ab', 'cd']) {
        const outcomes = await Promise.all(
          [...names].map((name) => opened.call(attemptTo('secure.example', port, `/${name}`))),
        );
        const bodies = outcomes.map(({ body }) => body);
        expect(bodies).toEqual([...names].map((name) => bodyOf(`/${name}`)));
      }
      expect(connections).toBe(2);
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('names the host of the URL, even if another one is dialled', async () => {
    const names: string[] = [];
    const server = createTlsServer({
      ...selfSigned,
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    server.on('tlsClientError', () => undefined);
    const port = await listen(server, toClose);
    for (const host of ['secure.example', 'overridden.example']) {
      expect((await callSecure(host, port)).status).toBe(0);
      await caller?.close();
    }
    expect(names).toEqual(['secure.example', 'overridden.example']);
  });

  it('to a plain HTTP server fails when TLS is expected, and nothing is sent', async () => {
    let received = '';
    const server = createTcpServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (bytes) => {
          received += bytes.toString('latin1');
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        });
    });
    const outcome = await callSecure('secure.example', await listen(server, toClose));
    const error = 'the destination does not use TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER)';
    expect(outcome).toMatchObject({ status: 0, error });
    expect(received).not.toMatch(/POST|secret/);
  });

  it('that reaches a forbidden address is closed before anything is sent', async () => {
    let connections = 0;
    let received = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).on('data', (bytes) => (received += bytes.length));
    });
    const port = await listen(server, toClose);
    const closed = new AddressGuard({ networks: [], hosts: [] });
    const open = new AddressGuard({ networks: ['127.0.0.0/8'], hosts: [] });
    // A deceived resolver: it approves addresses other than those that connections reach.
    const resolver = new NameResolver(open, systemClock, async () => [
      { address: '127.0.0.1', family: 4 },
    ]);
    const connect = guardedConnector(closed, resolver, new Map());
    const error = await new Promise((resolve) => {
      const target = { hostname: 'fooled.example', protocol: 'http:', port: String(port) };
      connect(target, (...opened) => resolve(opened[0]));
    });
    expect(error).toBeInstanceOf(DestinationRefused);
    expect({ connections, received }).toEqual({ connections: 1, received: 0 });
  });

  it('that is reset as soon as it is open names no address that was refused', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const opened: Socket[] = [];
    const server = createTlsServer({ ...selfSigned, maxVersion: 'TLSv1.2' }, (socket) => {
      socket.on('error', () => undefined);
      // The end of the handshake is sent in this turn, so the client reads it before the reset.
      setImmediate(() => opened.pop()?.resetAndDestroy());
    });
    server.prependListener('connection', (socket: Socket) => opened.push(socket));
    try {
      const outcome = await callSecure('secure.example', await listen(server, toClose));
      expect(outcome.error).toBe('the destination reset the connection (ECONNRESET)');
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('to an outdated TLS version fails', async () => {
    const { server } = tlsServer({ maxVersion: 'TLSv1.1' });
    const outcome = await callSecure('secure.example', await listen(server, toClose));
    const error = expect.stringMatching(
      /^TLS with the destination failed: tlsv1 alert protocol version \(ERR_SSL_\w+\)$/,
    );
    expect(outcome).toMatchObject({ status: 0, error });
  });

  it('whose handshake stalls ends with the deadline', async () => {
    const server = createTcpServer((socket) => void socket.on('error', () => undefined).resume());
    const port = await listen(server, toClose);
    const outcome = await callSecure('secure.example', port, 200);
    expect(outcome.error).toBe('timed out after 200 ms connecting');
  });

  it('whose handshake stalls is abandoned when connecting takes too long', async () => {
    const server = createTcpServer((socket) => void socket.on('error', () => undefined).resume());
    const port = await listen(server, toClose);
    const outcome = await callSecure('secure.example', port, 25_000);
    expect(outcome.error).toMatch(/UND_ERR_CONNECT_TIMEOUT/);
  });
});
