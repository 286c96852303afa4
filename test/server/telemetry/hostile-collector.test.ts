/** A program that is not a collector delays nothing and fills no memory. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Collector } from '../../../src/server/telemetry/collector.js';

const timeoutMs = 300;
const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

/** Writes as long as the other side reads. */
function pour(socket: Socket, text: string): void {
  while (!socket.destroyed && socket.write(text)) {
    // The buffer of the socket limits how much one turn writes.
  }
  if (!socket.destroyed) socket.once('drain', () => pour(socket, text));
}

let server: Server;
let collector: Collector;
/** The bytes that were written to the first answered connection, once that has closed. */
let gone: Promise<number>;

async function listen(answer: (socket: Socket) => void): Promise<string> {
  gone = new Promise((resolve) => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.on('close', () => resolve(socket.bytesWritten));
        answer(socket);
      });
    }).listen(0, '127.0.0.1');
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
}

beforeEach(() => {
  const settings = { headers: [], timeoutMs, isCompressed: false };
  collector = new Collector(settings, {
    after(_delayMs, callback) {
      queueMicrotask(callback);
      return () => undefined;
    },
  });
});

afterEach(async () => {
  await collector.close();
  server.close();
  await once(server, 'close');
});

it.each<[string, (socket: Socket) => void]>([
  ['never answers', () => undefined],
  ['speaks something else', (socket) => socket.end('\0\0\0 what?\r\n\r\n')],
  [
    'answers a head without an end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, `x-${'y'.repeat(1000)}: z\r\n`);
    },
  ],
  [
    'sends its clients elsewhere',
    (socket) => socket.end('HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:1/\r\n\r\n'),
  ],
])('a collector that %s receives nothing', async (_what, answer) => {
  const url = await listen(answer);
  await expect(collector.send(url, {})).rejects.toThrow();
});

it('a collector whose answer does not end is not read to the end', async () => {
  const url = await listen((socket) => {
    socket.write(head);
    pour(socket, chunk);
  });
  await collector.send(url, {}).catch(() => undefined);
  expect(await gone).toBeLessThan(16 * 1024 * 1024);
});

it('a collector that drips its answer is left after the timeout', async () => {
  let isAnswered = false;
  const url = await listen((socket) => {
    isAnswered = true;
    socket.write(head);
    const dripping = setInterval(() => socket.write('1\r\nx\r\n'), 20);
    socket.once('close', () => clearInterval(dripping));
  });
  // On a busy machine the timeout of an attempt may be over before the answer begins.
  while (!isAnswered) await collector.send(url, {}).catch(() => undefined);
  // The connection is closed although the answer continues.
  expect(await gone).toBeGreaterThan(head.length);
});
