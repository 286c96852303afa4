/**
 * `node relay.mjs HERE THERE PORT...`: forwards each connection to a port of the address HERE to
 * the same port of THERE. Prints `ready` once it listens.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [here, there, ...ports] = process.argv.slice(2);

for (const port of ports) {
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: there, port: Number(port), noDelay: true });
    // If one side ends or fails, so does the other.
    pipeline(near, far, near, () => undefined);
  });
  server.listen(Number(port), here);
  await once(server, 'listening');
}
process.stdout.write('ready\n');
