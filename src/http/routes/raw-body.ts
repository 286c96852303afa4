/** Bodies are bytes: nothing parses them by their content type, and a GET may carry one. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

const none = Buffer.alloc(0);
const bytes = { 'content-type': 'application/octet-stream' };

/**
 * Makes every body of the application a `Buffer`, whatever its content type, and be that no media
 * type at all, which Fastify alone would refuse: it is the receiver's to understand. The limit is
 * the route's `bodyLimit`, or the server's; a body above it answers 413.
 */
export function acceptRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    // Only Fastify reads what is set here; `request.raw` keeps what was sent.
    if (request.raw.headers['content-type'] !== undefined) request.headers = bytes;
    done();
  });
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
}

/** The bytes of a request's body; none is an empty buffer. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : none;
}
