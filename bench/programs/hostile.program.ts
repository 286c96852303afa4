/** Destinations that misbehave, in a process of their own; it answers their origins. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { answer, ready } from './measured-program.js';

const chunk = Buffer.alloc(64 * 1024, 'x');

/** Takes the request in and never answers. */
function hang(request: IncomingMessage): void {
  request.resume();
}

/** Answers 200 and a body that does not end, as fast as it is read. */
function answerEndlessly(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write);
  write();
}

/** Redirects every request to itself. */
function redirect(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  request.on('end', () => response.writeHead(307, { location: request.url }).end());
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A port on which no server listens: connections to it are refused. */
async function refusing(): Promise<string> {
  const server = createSocketServer();
  const origin = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return origin;
}

const malformed = createSocketServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', () => socket.end('HTTP/1.1 two hundred\r\n\r\n'));
});

/** As many as a bad day brings at once. */
const hangingCount = 20;

/** A few of every kind, and many of the kind that holds what it gets. */
export type HostileOrigins = typeof origins;

const origins = {
  ofEveryKind: [
    await refusing(),
    await listen(createServer(hang)),
    await listen(createServer(answerEndlessly)),
    await listen(createServer(redirect)),
    await listen(malformed),
  ],
  hanging: await Promise.all(
    Array.from({ length: hangingCount }, () => listen(createServer(hang))),
  ),
};

answer(() => origins);
ready('loopback');
