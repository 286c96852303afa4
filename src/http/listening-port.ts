/** The port of a server that listens at one, also where the system has chosen it. */
import type { Server } from 'node:net';

/** Throws where it does not listen, or not at a port. */
export function listeningPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens at no port');
  return address.port;
}
