/** A destination that breaks every rule of HTTP it knows, on raw sockets. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Runs once the head of a request has arrived; `isOpen` tells when to stop writing. */
type Evil = (socket: Socket, isOpen: () => boolean) => void;

const head = (status: string, ...fields: readonly string[]) =>
  `HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

/** Writes for as long as the other side reads. */
function pour(socket: Socket, isOpen: () => boolean, next: () => string | Buffer): void {
  while (isOpen()) if (!socket.write(next())) break;
  if (isOpen()) socket.once('drain', () => pour(socket, isOpen, next));
}

/** One piece every 20 ms, for ever. */
function drip(socket: Socket, isOpen: () => boolean, next: () => string): void {
  const timer = setInterval(() => (isOpen() ? socket.write(next()) : clearInterval(timer)), 20);
}

const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
/** 64 MiB of nothing in 64 KiB. */
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));

export const evils = {
  'never answers': () => undefined,
  'accepts and closes': (socket) => socket.end(),
  'drips its headers': (socket, isOpen) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    drip(socket, isOpen, () => 'x: y\r\n');
  },
  'drips its body': (socket, isOpen) => {
    socket.write(head('200 OK', 'content-length: 1000000'));
    drip(socket, isOpen, () => 'x');
  },
  'drips its chunks': (socket, isOpen) => {
    socket.write(head('200 OK', 'transfer-encoding: chunked'));
    drip(socket, isOpen, () => '1\r\nx\r\n');
  },
  'stops in its body': (socket) => {
    socket.write(`${head('200 OK', 'content-length: 100')}half`);
  },
  'chunks without end': (socket, isOpen) => {
    socket.write(head('200 OK', 'transfer-encoding: chunked'));
    pour(socket, isOpen, () => chunk);
  },
  'body of 10 GiB': (socket, isOpen) => {
    socket.write(head('200 OK', `content-length: ${10 * 1024 ** 3}`));
    pour(socket, isOpen, () => chunk);
  },
  'body without a length': (socket, isOpen) => {
    socket.write(head('200 OK', 'connection: close'));
    pour(socket, isOpen, () => chunk);
  },
  'header line of 1 MiB': (socket) => {
    socket.write(head('200 OK', `x: ${'y'.repeat(1024 * 1024)}`, 'content-length: 0'));
  },
  'header line without end': (socket, isOpen) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ');
    pour(socket, isOpen, () => chunk.slice(7, -2));
  },
  'status line without end': (socket, isOpen) => {
    socket.write('HTTP/1.1 200 ');
    pour(socket, isOpen, () => chunk.slice(7, -2));
  },
  'chunk extension without end': (socket, isOpen) => {
    socket.write(`${head('200 OK', 'transfer-encoding: chunked')}1;x=`);
    pour(socket, isOpen, () => chunk.slice(7, -2));
  },
  'trailers without end': (socket, isOpen) => {
    socket.write(`${head('200 OK', 'transfer-encoding: chunked')}1\r\nx\r\n0\r\n`);
    pour(socket, isOpen, () => `x: ${'y'.repeat(1000)}\r\n`);
  },
  'status 099': (socket) => socket.write(head('099 Odd', 'content-length: 0')),
  'status 099 after an interim one': (socket) => {
    socket.write(head('102 Processing') + head('099 Odd', 'content-length: 0'));
  },
  'status 000': (socket) => socket.write(head('000 None', 'content-length: 0')),
  'status of two digits': (socket) => socket.write(head('20 OK', 'content-length: 0')),
  'status that is no number': (socket) => socket.write(head('abc OK', 'content-length: 0')),
  'chunk size that is none': (socket) => {
    socket.write(`${head('200 OK', 'transfer-encoding: chunked')}zz\r\n`);
  },
  'upgrade that was not asked for': (socket) => {
    socket.write(head('101 Switching Protocols', 'upgrade: other', 'connection: upgrade'));
  },
  '10,000 headers': (socket) => {
    const fields = Array.from({ length: 10_000 }, () => 'a: b');
    socket.write(head('200 OK', ...fields, 'content-length: 0'));
  },
  'gzip bomb': (socket) => {
    socket.write(head('200 OK', 'content-encoding: gzip', `content-length: ${bomb.length}`));
    socket.write(bomb);
  },
  'redirect to itself': (socket) => {
    socket.write(head('302 Found', 'location: /', 'content-length: 0'));
  },
  'redirect to metadata': (socket) => {
    socket.write(head('301 Moved', 'location: http://169.254.169.254/', 'content-length: 0'));
  },
  'reset at once': (socket) => socket.resetAndDestroy(),
  'reset in its body': (socket) => {
    socket.write(`${head('200 OK', 'content-length: 100')}half`, () => {
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
  },
  'reset in its chunks': (socket) => {
    socket.write(`${head('200 OK', 'transfer-encoding: chunked')}5\r\nha`, () => {
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
  },
  'less than its length': (socket) => {
    socket.end(`${head('200 OK', 'content-length: 100')}half`);
  },
  'more than its length': (socket) => {
    socket.write(`${head('200 OK', 'content-length: 4')}fourand more`);
  },
  'two lengths': (socket) => {
    socket.write(`${head('200 OK', 'content-length: 4', 'content-length: 5')}four!`);
  },
  'length and chunks': (socket) => {
    const fields = ['content-length: 4', 'transfer-encoding: chunked'];
    socket.write(`${head('200 OK', ...fields)}4\r\nfour\r\n0\r\n\r\n`);
  },
  'negative length': (socket) => {
    socket.write(head('200 OK', 'content-length: -1'));
  },
  'chunk size that is no number': (socket) => {
    socket.write(`${head('200 OK', 'transfer-encoding: chunked')}xyz\r\n`);
  },
  'chunk size beyond 64 bits': (socket) => {
    socket.write(`${head('200 OK', 'transfer-encoding: chunked')}fffffffffffffffff\r\n`);
  },
  'HTTP/0.9': (socket) => socket.end('<html>hello</html>'),
  'another protocol': (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'lines that end in LF': (socket) => socket.end('HTTP/1.1 200 OK\ncontent-length: 0\n\n'),
  'status 99': (socket) => socket.end(head('99 Odd', 'content-length: 0')),
  'status 1000': (socket) => socket.end(head('1000 Odd', 'content-length: 0')),
  'NUL in a header': (socket) => socket.end(head('200 OK', 'x: a\0b', 'content-length: 0')),
  '100 without being asked': (socket) => {
    socket.write(head('100 Continue') + head('200 OK', 'content-length: 0'));
  },
  'interim responses without end': (socket, isOpen) => {
    pour(socket, isOpen, () => head('103 Early Hints', 'link: </x>').repeat(100));
  },
  'switches protocols': (socket) => {
    socket.write(head('101 Switching Protocols', 'connection: upgrade', 'upgrade: websocket'));
  },
  'two responses': (socket) => {
    socket.write(head('200 OK', 'content-length: 0') + head('200 OK', 'content-length: 0'));
  },
  'answers before the body is read': (socket) => {
    socket.pause();
    socket.write(head('200 OK', 'content-length: 0', 'connection: close'));
  },
} satisfies Record<string, Evil>;

export type EvilName = keyof typeof evils;

export class EvilEndpoint {
  /** Requests whose head has arrived. */
  requests = 0;
  /** Connections that have gone, closed by either side. */
  closed = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private evil: Evil,
  ) {
    server.on('connection', (socket) => this.take(socket));
  }

  /** Listens on a free port of the loopback interface. */
  static async start(name: EvilName): Promise<EvilEndpoint> {
    const server = createServer();
    const endpoint = new EvilEndpoint(server, evils[name]);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private take(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed += 1;
      this.sockets.delete(socket);
    });
    let received = '';
    socket.on('data', (bytes) => {
      if (received.includes('\r\n\r\n')) return;
      received += bytes.toString('latin1');
      if (!received.includes('\r\n\r\n')) return;
      this.requests += 1;
      this.evil(socket, () => !socket.destroyed && socket.writable);
    });
  }
}
