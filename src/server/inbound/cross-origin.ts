/**
 * Pages of other origins (the Fetch standard: CORS). What a listed origin asks may be read by it,
 * whatever the answer is; what any other asks is answered as if there were no origins, but for what
 * `ForeignPages` refuses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether pages of an origin, as browsers write it, may read our answers. */
export type OriginRule = (origin: string) => boolean;

/** All that any route answers; the route itself says which are its own. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Beyond the few that every page may read. */
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

/** In seconds; no browser keeps an answer for longer than a day, and some for less. */
const maxAge = '7200';

/** Lets pages of the origin that a request names read its answer, where the rule allows it. */
export function shareWithOrigin(
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
  mayRead: OriginRule,
): boolean {
  if (origin === undefined || !mayRead(origin)) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', exposed);
  response.setHeader('vary', 'Origin');
  return true;
}

/** Whether a browser asks if it may ask. It sends no credentials with that. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Allows the request that a preflight from a listed origin announces. Every header may be sent:
 * with `Svc-Header-Forward` any may be meant for a destination.
 */
export function allowRequest({ headers }: IncomingMessage, response: ServerResponse): void {
  const requested = headers['access-control-request-headers'];
  response.setHeader('access-control-allow-methods', methods);
  response.setHeader('access-control-allow-headers', requested ?? 'authorization, content-type');
  response.setHeader('access-control-max-age', maxAge);
  response.writeHead(204).end();
}
