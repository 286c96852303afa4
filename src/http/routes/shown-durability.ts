/** Decides which answers say how durable the acknowledged change is (messaging.md 1.1). */
import type { FastifyInstance } from 'fastify';
import type { Durability } from '../durability.js';
import { isReading, type RouteDescription } from './route-description.js';

/**
 * Whether a success shows its durability: an answer to a read does not, unless its route writes.
 */
export function saysDurability(method: string, description: RouteDescription | null): boolean {
  return !isReading(method) || description?.changes === true;
}

/** Adds the header to every success, except to answers to reads. */
export function sendDurability(fastify: FastifyInstance, durability: Durability): void {
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const { description = null } = request.routeOptions.config;
    const isWrite = saysDurability(request.method, description) && reply.statusCode < 300;
    if (isWrite) reply.header('stepwell-durability', durability);
    done();
  });
}
