/** Clients that open connections, send nothing or half a head, and never close their side. */
import { request } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

export class SilentClients {
  private readonly sockets: Socket[] = [];
  private readonly ends: Promise<void>[] = [];
  /** Connections that the server has closed. */
  closed = 0;

  constructor(private readonly port: number) {}

  /** Opens `count` connections from a loopback address; settles when all are open or closed. */
  async open(count: number, localAddress = '127.0.0.1', bytes = ''): Promise<void> {
    // The queue of a listening socket is short.
    for (let opened = 0; opened < count; opened += 100) {
      const batch = Array.from({ length: Math.min(100, count - opened) }, () =>
        this.openOne(localAddress, bytes),
      );
      await Promise.all(batch);
    }
  }

  /** Settles when the server has closed all of them. */
  async allClosed(): Promise<void> {
    await Promise.all(this.ends);
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private openOne(localAddress: string, bytes: string): Promise<void> {
    const { port } = this;
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    this.sockets.push(socket);
    const ended = new Promise<void>((resolve) => {
      socket.on('error', () => undefined);
      socket.once('end', resolve);
      socket.once('close', () => resolve());
    });
    this.ends.push(
      ended.then(() => {
        this.closed += 1;
      }),
    );
    socket.resume();
    const connected = new Promise<void>((resolve) => {
      socket.once('connect', () => {
        if (bytes !== '') socket.write(bytes);
        resolve();
      });
    });
    return Promise.race([connected, ended]);
  }
}

/** Settles when exactly `count` connections that a server in this process accepted are open. */
export async function openConnections(server: Server, count: number): Promise<void> {
  const open = promisify(server.getConnections.bind(server));
  while ((await open()) !== count) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** What one request is answered on a connection of its own. */
export interface Answered {
  /** 0 where the connection was closed without an answer. */
  readonly status: number;
  readonly connection: string | undefined;
  readonly body: string;
}

/** One request from a loopback address, on a connection of its own. */
export function askFrom(
  localAddress: string,
  url: string,
  { method = 'GET', authorization = '', body = '' } = {},
): Promise<Answered> {
  const headers = authorization === '' ? {} : { authorization };
  return new Promise((resolve) => {
    const sent = request(url, { method, headers, localAddress, agent: false }, (answer) => {
      const status = answer.statusCode ?? 0;
      const { connection } = answer.headers;
      text(answer).then((said) => resolve({ status, connection, body: said }));
    });
    sent.on('error', () => resolve({ status: 0, connection: undefined, body: '' }));
    sent.end(body);
  });
}
