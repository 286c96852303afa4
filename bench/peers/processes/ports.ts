/** Ports for servers that cannot choose one. */
import { createServer } from 'node:net';

/**
 * Below those that Linux gives to outgoing connections (32768 and above): the bench opens and
 * closes hundreds of them, and one may take a port between the moment it was found and its use.
 */
const first = 12_000;
const count = 18_000;

/** One that is free now, and was not given before. */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if (!given.has(port) && (await isFree(port))) {
      given.add(port);
      return port;
    }
  }
}

const given = new Set<number>();

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
