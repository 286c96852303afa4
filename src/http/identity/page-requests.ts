/**
 * Requests that pages make. A browser shows its cookie with whatever any page asks, so that a
 * change is believed only if a page of ours asks for it.
 */
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../grammar/result.js';

const foreign: Refusal = new Refusal(
  'forbidden',
  'forbidden: a session changes things only for pages of this server; ' +
    'Origin must be its own, and a program needs an Authorization header',
);

/** A browser that is told of `Basic` asks its user for a password; a page of ours does better. */
export const sessionChallenge = { 'www-authenticate': 'Session realm="stepwell"' };

/** Whether a page sends this request, which shows what is refused itself. */
export function isSentByPage({ headers }: IncomingMessage): boolean {
  return headers['x-requested-with'] !== undefined;
}

/** Why a request that changes something is not one of our own pages; undefined if it is. */
export function judgeOrigin({ headers }: IncomingMessage): Refusal | undefined {
  const { origin, host } = headers;
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return foreign;
  return new URL(origin).host === host.toLowerCase() ? undefined : foreign;
}
