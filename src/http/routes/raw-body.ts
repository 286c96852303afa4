/** Treats bodies as bytes: nothing parses them by their content type, and a GET may have one. */
import type { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { GatheredBytes } from '../bytes/gathered-bytes.js';

const none = Buffer.alloc(0);
const bytes = { 'content-type': 'application/octet-stream' };

/**
 * Makes every body of the application a `Buffer`, whatever its content type, even one that is no
 * valid media type, which Fastify by itself would refuse: the receiver has to understand it. The
 * limit is the `bodyLimit` of the route, or that of the server; a longer body is answered 413.
 */
export function acceptRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    const { bodyLimit } = request.routeOptions;
    // A body that is declared too long is not read at all.
    if (Number(request.raw.headers['content-length']) > bodyLimit) done(tooLarge());
    else gather(payload, bodyLimit, done);
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    // Only Fastify reads this replacement; `request.raw` keeps the headers that were sent.
    if (request.raw.headers['content-type'] !== undefined) request.headers = bytes;
    done();
  });
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
}

const ignore = () => undefined;
const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();

/** Replaces the reader of Fastify, which keeps every piece of a body, whatever that costs. */
function gather(
  payload: Readable,
  bytesMax: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const body = new GatheredBytes(bytesMax);
  const settle = (error: Error | null) => {
    payload.off('data', add).off('end', end).off('error', settle);
    // An error without a listener would end the process.
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

/** The bytes of the body of a request; empty if there is none. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : none;
}
