/** The last word to a connection whose bytes are no HTTP: there is no path, so one shape. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '../../grammar/result.js';
import { codeOf, errorBody } from '../../http/error-shapes.js';
import { dropRest } from './connection-end.js';
import type { InboundConnections } from './connections.js';

const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers with JSON and closes: the next bytes could be framed in any way. The latest answer of the
 * connection distinguishes a broken body from a broken head after it, which is answered behind it:
 * sent before, the refusal would be taken for the answer to the sound request.
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
  // It is being ended, as where its client closes its side behind what was refused.
  if (socket.writableEnded) return;
  dropRest(socket);
  const latest = connections.latestAnswer(socket);
  if (latest?.req.complete === true && !latest.closed) {
    latest.once('close', () => refuseConnection(error, socket, connections));
    return;
  }
  if (latest?.headersSent === true && !latest.req.complete) {
    // The request has its answer already: no request would wait for a second one.
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
