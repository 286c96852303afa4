/**
 * Requests from pages of other origins (CORS in the Fetch standard). A page of a listed origin may
 * read every answer to its requests; requests of other origins are answered as if there were no
 * CORS, except for those that `ForeignPages` refuses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether pages of an origin, as browsers write it, may read our answers. */
export type OriginRule = (origin: string) => boolean;

/** All methods that any route answers; each route itself says which it supports. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Headers that pages may read in addition to the few that the standard always allows. */
const exposed = [
  'Allow',
  'Content-Length',
  'Retry-After',
  'Stepwell-Durability',
  'Stepwell-Warning',
  'Stream-Ack-Id',
  'Stream-Generation',
  'Stream-Replaced-Records',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/** In seconds; no browser caches a preflight for longer than a day, and some do so for less. */
const maxAge = '7200';

/** Lets pages of the request's origin read its answer if the rule allows that. */
export function shareWithOrigin(
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
  mayRead: OriginRule,
): boolean {
  // Also if it is not shared: a cache must not give this answer to a page that may read it.
  response.setHeader('vary', 'Origin');
  if (origin === undefined || !mayRead(origin)) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', exposed);
  return true;
}

/**
 * Whether the request is a preflight, with which a browser asks for permission. Preflights carry no
 * credentials.
 */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Allows the request that a preflight from a listed origin announces. Every header is allowed: with
 * `Svc-Header-Forward`, any header may be meant for a destination.
 */
export function allowRequest({ headers }: IncomingMessage, response: ServerResponse): void {
  const requested = headers['access-control-request-headers'];
  response.setHeader('access-control-allow-methods', methods);
  response.setHeader('access-control-allow-headers', requested ?? 'authorization, content-type');
  response.setHeader('access-control-max-age', maxAge);
  response.writeHead(204).end();
}
