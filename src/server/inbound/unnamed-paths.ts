/** `DELETE /v2/messages/$ID` or `POST /v2/dlq/retry/$ID` where a script has no `ID`. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fieldsOf } from '../../grammar/json.js';
import { Refusal } from '../../grammar/result.js';
import { isMessagingRequest, sendRefusal } from '../../http/error-shapes.js';

const unnamed = new Refusal(
  'invalid',
  'the path ends with "/", and so names nothing; for all of them leave that out',
);

/** What has a form with an id behind it, and means all there is without one. */
const bulkPosts = /\/dlq\/(?:retry|resume|restart)\/?$/;

/**
 * A slash at the end is optional, and routes that end without an id mean all there is: a request
 * for one message would cancel every one. Add it after the front door.
 */
export function refuseUnnamedPaths(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (!isBulk(request) || !isMessagingRequest(request)) return undefined;
    const [path = ''] = request.url.split('?');
    const isNamed = Object.values(fieldsOf(request.params)).some((value) => value !== '');
    return path.endsWith('/') && !isNamed ? sendRefusal(request, reply, unnamed) : undefined;
  });
}

function isBulk({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'DELETE' || (method === 'POST' && bulkPosts.test(routeOptions.url ?? ''));
}
