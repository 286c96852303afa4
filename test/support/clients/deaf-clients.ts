/** Clients that ask and never read what they are answered, or never end what they send. */

import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

/** Opens connections that each send `text` and take nothing; settles when all have sent it. */
export async function deafClients(
  port: number,
  count: number,
  text: (index: number) => string | Buffer,
): Promise<readonly Socket[]> {
  const clients = Array.from({ length: count }, (_, index) => deafClient(port, text(index)));
  return Promise.all(clients);
}

function deafClient(port: number, text: string | Buffer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    // Without a listener for data nothing is read but what the system takes by itself.
    socket.pause();
    socket.on('error', () => undefined);
    socket.once('error', reject);
    socket.write(text);
  });
}

/** Resident memory of a process, in MiB. */
export async function residentMiB(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
