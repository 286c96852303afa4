/**
 * Ends a connection whose client is still sending: the client gets time to read its last answer.
 */
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Clock } from '../../engine/clock.js';

/** How long a refused client has to read why it was refused. */
const lingerMs = 1000;

/**
 * Ends a connection after `answer`. What the client still sends is read and dropped, since a reset
 * would discard the answer before the client has read it. A client that does not close its side
 * cannot keep ours open.
 */
export function endSoon(socket: Socket, clock: Clock, answer?: string): void {
  if (answer === undefined) socket.end();
  else socket.end(answer);
  const cancel = clock.after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}

/** Ends a connection once everything written to it is sent; what its client still sends is lost. */
export function endWritten(socket: Socket): void {
  Socket.prototype.destroySoon.call(socket);
}

/**
 * Ends a connection after its last answer, which is the one to `request`. If that request was
 * answered before all of it arrived, the client is still sending: the rest is read and dropped, and
 * no part of it is mistaken for another request.
 */
export function endAfterAnswer(
  socket: Socket,
  clock: Clock,
  request: Pick<IncomingMessage, 'complete'> | undefined,
): void {
  if (request === undefined || request.complete) {
    endWritten(socket);
    return;
  }
  dropRest(socket);
  endSoon(socket, clock);
}

/**
 * From now on, reads and drops incoming bytes: the client is not blocked, and the bytes are not
 * parsed as a request.
 */
export function dropRest(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
}
