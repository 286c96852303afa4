/**
 * The final answer on a connection whose bytes are not valid HTTP. There is no path to choose an
 * error format by, so there is one format for all.
 */
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { afterReading, systemClock } from '../../engine/clock.js';
import { Refusal } from '../../grammar/result.js';
import { codeOf, errorBody } from '../../http/error-shapes.js';
import { dropRest } from './connection-end.js';
import type { InboundConnections } from './connections.js';
import { serverTimeouts } from './inbound-limits.js';

const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Refuses `CONNECT`, the request for a tunnel. Node's server would close the connection, and so
 * lose the answers to the requests before it.
 */
export function refuseTunnels(server: Server, connections: InboundConnections): void {
  server.on('connect', ({ socket }) => {
    // Node's server has removed its own listener: an error would end the process.
    socket.on('error', () => undefined);
    refuseConnection(new Error('a tunnel was requested'), socket, connections);
  });
}

/**
 * Answers with JSON and closes, since the framing of the following bytes is unknown. The latest
 * answer of the connection distinguishes a malformed body from a malformed head after it. The
 * refusal is sent only after all answers to sound requests: if it came first, the client would take
 * it for one of them.
 */
export function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Socket,
  connections: InboundConnections,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy();
    return;
  }
  // The connection is already being closed, for example because its client closed its own side
  // after a refusal.
  if (socket.writableEnded) return;
  dropRest(socket);
  const { latest = null, before = null } = connections.answersOf(socket) ?? {};
  const awaited = latest?.req.complete === true ? latest : before;
  if (awaited?.closed === false) {
    awaited.once('close', () => refuseConnection(error, socket, connections));
    return;
  }
  if (latest?.headersSent === true && !latest.req.complete) {
    // The request already has its answer: the client would not expect a second one.
    connections.endSoon(socket);
    return;
  }
  const status = statusOf[error.code ?? ''] ?? 400;
  const phrase = STATUS_CODES[status] ?? 'Bad Request';
  const body = errorBody(false, new Refusal(codeOf(status), phrase.toLowerCase()));
  connections.endSoon(
    socket,
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/**
 * Refuses a request that took too long to arrive. Node says so before it reads sockets: if more of
 * the request has arrived by now, because this process stood still, it has its time once more.
 */
export function refuseLateRequest(
  error: Error,
  socket: Socket,
  connections: InboundConnections,
): void {
  const { bytesRead } = socket;
  const refuse = () => refuseConnection(error, socket, connections);
  afterReading(() => {
    const { latest = null } = connections.answersOf(socket) ?? {};
    if (socket.bytesRead === bytesRead) refuse();
    // The head is incomplete still, or was answered a moment ago: closing is right for both.
    else if (latest === null) connections.endSoon(socket);
    else {
      const cancel = systemClock.after(serverTimeouts.requestTimeout, () => {
        if (!latest.req.complete) refuse();
      });
      // The timer holds the answer, and that holds the body.
      latest.once('close', () => latest.req.complete && cancel());
    }
  });
}

/** Closes connections that were idle for too long, unless a request has arrived by now. */
export function closeIdle(server: Server): void {
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket;
    afterReading(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}
