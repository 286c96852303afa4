/** Refuses filters on routes that have none (messaging.md 1.3, administration.md). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isMessagingRequest, sendRefusal } from '../error-shapes.js';
import { readFilters, text } from '../query-filters.js';
import type { RouteDescription } from './route-description.js';

/** Routes that accept `asOf` are known elsewhere: here it is never an unknown name. */
const known = { asOf: text };

/**
 * Refuses every query parameter of a `GET` whose route describes none: a misspelt `asOf` would
 * otherwise show the present as the past, and a filter would show everything. Routes with a query
 * read it themselves; topics.md 1.1 ignores what is unknown outside of `/admin`. Must be added
 * after the front door.
 */
export function refuseUnknownFilters(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', async (request, reply) => {
    const { description } = request.routeOptions.config;
    if (!request.url.includes('?') || !isStrict(request, description)) return undefined;
    const read = readFilters(request.url, known);
    return read.ok ? undefined : sendRefusal(request, reply, read);
  });
}

function isStrict(request: FastifyRequest, description: RouteDescription | undefined): boolean {
  if (request.method !== 'GET' || description === undefined) return false;
  const { access, query, namesAnything } = description;
  if (access !== undefined || query !== undefined || namesAnything === true) return false;
  return isMessagingRequest(request) || request.routeOptions.url?.startsWith('/admin/') === true;
}
