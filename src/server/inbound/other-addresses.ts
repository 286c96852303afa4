/**
 * Listens on the other addresses of the configured host name: `localhost` has one of IPv4 and one
 * of IPv6. Fastify would open separate servers for them, without what we put in front of it.
 */
import { lookup } from 'node:dns/promises';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

/** The addresses that `host` stands for; only `localhost` is looked up. */
export async function addressesOf(host: string): Promise<[string, ...string[]]> {
  if (host !== 'localhost') return [host];
  const [first, ...others] = await lookup(host, { all: true });
  if (first === undefined) return [host];
  return [first.address, ...others.map(({ address }) => address)];
}

/**
 * Listens on `address` too, at the same port; `server` serves the connections. Resolves to null if
 * the machine does not have the address, or another process uses the port there.
 */
export function listenToo(
  server: HttpServer,
  address: string,
  port: number,
): Promise<Server | null> {
  // With the same options as Node's own HTTP servers.
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  );
  return new Promise((resolve) => {
    listener.once('error', () => resolve(null));
    listener.listen(port, address, () => resolve(listener));
  });
}
