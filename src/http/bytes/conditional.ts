/** What caches read: by which headers of requests an answer varies, and its version. */
import type { FastifyReply } from 'fastify';
import type { RequestHead } from '../request-head.js';

/** Adds headers of requests to those by which the answer varies (`Vary`, RFC 9110). */
export function varyBy(reply: FastifyReply, names: string): void {
  const known = reply.getHeader('vary') ?? reply.raw.getHeader('vary');
  reply.header('vary', known === undefined ? names : `${String(known)}, ${names}`);
}

/**
 * Whether `If-None-Match` names the version `tag`, a strong entity tag (RFC 9110, 13.1.2). A weak
 * tag matches, too: a proxy that compresses an answer makes its tag weak.
 */
export function isUnchanged({ headers }: Pick<RequestHead, 'headers'>, tag: string): boolean {
  const known = headers['if-none-match']?.trim();
  if (known === undefined) return false;
  return known === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}
