/** Which answers say how durable what they acknowledge is (messaging.md 1.1). */
import type { FastifyInstance } from 'fastify';
import type { Durability } from '../durability.js';
import { isReading, type RouteDescription } from './route-description.js';

/** Whether a success by this method says it: one that reads does not, unless its route writes. */
export function saysDurability(method: string, description: RouteDescription | null): boolean {
  return !isReading(method) || description?.changes === true;
}

/** Every success but a read's says it. */
export function sendDurability(fastify: FastifyInstance, durability: Durability): void {
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const { description = null } = request.routeOptions.config;
    const isWrite = saysDurability(request.method, description) && reply.statusCode < 300;
    if (isWrite) reply.header('stepwell-durability', durability);
    done();
  });
}
