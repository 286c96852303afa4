/** Clients of the live stream, each on a connection of its own, who read what comes. */
import { connect } from 'node:net';
import { answer, ready, settings } from './measured-program.js';

export interface ViewersSettings {
  /** `http://host:port` */
  readonly server: string;
  readonly authorization: string;
  readonly count: number;
}

const { server, authorization, count } = settings<ViewersSettings>();
const { hostname, port } = new URL(server);

let bytes = 0;

/** Settles when the stream has begun. */
function view(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET /v2/live HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${authorization}\r\n\r\n`,
      );
    });
    socket.once('data', (head: Buffer) => {
      if (head.toString().startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(head.toString()));
    });
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.on('error', reject);
  });
}

for (let opened = 0; opened < count; opened += 50)
  await Promise.all(Array.from({ length: 50 }, view));
answer(() => bytes);
ready(`${count}`);
