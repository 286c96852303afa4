/** `DELETE /v2/messages/$ID` where a script has no `ID`. */
import type { FastifyInstance } from 'fastify';
import { fieldsOf } from '../../grammar/json.js';
import { Refusal } from '../../grammar/result.js';
import { isMessagingRequest, sendRefusal } from '../../http/error-shapes.js';

const unnamed = new Refusal(
  'invalid',
  'the path ends with "/", and so names nothing to delete; for all of them leave that out',
);

/**
 * A slash at the end is optional, and routes that end without an id mean all there is: a request
 * for one message would cancel every one. Add it after the front door.
 */
export function refuseUnnamedDeletes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'DELETE' || !isMessagingRequest(request)) return undefined;
    const [path = ''] = request.url.split('?');
    const isNamed = Object.values(fieldsOf(request.params)).some((value) => value !== '');
    return path.endsWith('/') && !isNamed ? sendRefusal(request, reply, unnamed) : undefined;
  });
}
