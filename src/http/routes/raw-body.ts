/** Bodies are bytes: nothing parses them by their content type, and a GET may carry one. */
import type { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { GatheredBytes } from '../bytes/gathered-bytes.js';

const none = Buffer.alloc(0);
const bytes = { 'content-type': 'application/octet-stream' };

/**
 * Makes every body of the application a `Buffer`, whatever its content type, and be that no media
 * type at all, which Fastify alone would refuse: it is the receiver's to understand. The limit is
 * the route's `bodyLimit`, or the server's; a body above it answers 413.
 */
export function acceptRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    const { bodyLimit } = request.routeOptions;
    // Nothing is read of a body that is said to be too long.
    if (Number(request.raw.headers['content-length']) > bodyLimit) done(tooLarge());
    else gather(payload, bodyLimit, done);
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    // Only Fastify reads what is set here; `request.raw` keeps what was sent.
    if (request.raw.headers['content-type'] !== undefined) request.headers = bytes;
    done();
  });
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
}

const ignore = () => undefined;
const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();

/** Fastify's own reader keeps each piece that comes, whatever it costs. */
function gather(
  payload: Readable,
  bytesMax: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const body = new GatheredBytes(bytesMax);
  const settle = (error: Error | null) => {
    payload.off('data', add).off('end', end).off('error', settle);
    // An error that nothing listens to would end the process.
    payload.on('error', ignore);
    if (error === null) done(null, body.bytes);
    else done(error);
  };
  const end = () => settle(null);
  const add = (piece: Buffer) => {
    if (body.length + piece.length > bytesMax) settle(tooLarge());
    else body.add(piece);
  };
  payload.on('data', add).on('end', end).on('error', settle);
}

/** The bytes of a request's body; none is an empty buffer. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : none;
}
