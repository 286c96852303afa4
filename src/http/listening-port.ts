/** Returns the port on which a server listens, including one chosen by the system. */
import type { Server } from 'node:net';

/** The port of a server. Throws if it does not listen, or not on a port. */
export function listeningPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens at no port');
  return address.port;
}

/** The origin of a server on this host and port, whose host may be an IPv6 address. */
export function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
