/**
 * The further addresses of the name that the server listens on: `localhost` has one of IPv4 and one
 * of IPv6. Fastify would open servers of its own for them, without what we put in front of it.
 */
import { lookup } from 'node:dns/promises';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

/** The addresses that `host` stands for; itself, unless it is `localhost`. */
export async function addressesOf(host: string): Promise<[string, ...string[]]> {
  if (host !== 'localhost') return [host];
  const [first, ...others] = await lookup(host, { all: true });
  if (first === undefined) return [host];
  return [first.address, ...others.map(({ address }) => address)];
}

/**
 * Listens on `address` too, at the same port; `server` serves the connections. Null where the
 * machine does not have the address, or another process has the port there.
 */
export function listenToo(
  server: HttpServer,
  address: string,
  port: number,
): Promise<Server | null> {
  // As Node's own HTTP servers accept.
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  );
  return new Promise((resolve) => {
    listener.once('error', () => resolve(null));
    listener.listen(port, address, () => resolve(listener));
  });
}
