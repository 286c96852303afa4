/**
 * For `DELETE /v2/messages/$ID` or `POST /v2/dlq/retry/$ID` from a script in which `ID` is unset.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fieldsOf } from '../../grammar/json.js';
import { Refusal } from '../../grammar/result.js';
import { isMessagingRequest, sendRefusal } from '../../http/error-shapes.js';

const unnamed = new Refusal(
  'invalid',
  'the path ends with "/", and so names nothing; for all of them leave that out',
);

/** POST routes that act on the item with an id, or on all items if there is no id. */
const bulkPosts = /\/dlq\/(?:retry|resume|restart)\/?$/;

/**
 * Refuses bulk requests whose path ends in a slash. A trailing slash is optional, and a route
 * without an id means all items, so a request for one message with an empty id would cancel every
 * message. Must be added after the front door.
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
