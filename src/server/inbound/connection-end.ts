/** The end of a connection whose client still sends: it gets the time to read its last answer. */
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Clock } from '../../engine/clock.js';

/** How long a refused client may take to read why. */
const lingerMs = 1000;

/**
 * Ends a connection after `answer`. What the client still sends is read, as a reset would take
 * the answer away from it; a client that does not close its side cannot keep ours open.
 */
export function endSoon(socket: Socket, clock: Clock, answer?: string): void {
  if (answer === undefined) socket.end();
  else socket.end(answer);
  const cancel = clock.after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}

/** Ends a connection once what was written on it is sent; what its client still sends is lost. */
export function endWritten(socket: Socket): void {
  Socket.prototype.destroySoon.call(socket);
}

/**
 * Ends a connection on which its last answer is sent, the one to `request`. A request that was
 * answered before all of it had come is still being sent: the rest is read and dropped, and nothing
 * in it is taken for another request.
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

/** From now on what comes is read, so that its client is not held up, and is no request. */
export function dropRest(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
}
