/**
 * Handles requests made by web pages. A browser sends its cookie with the requests of every page,
 * so changes are accepted only from pages of this server.
 */
import { Refusal } from '../../grammar/result.js';
import type { RequestHead } from '../request-head.js';

const foreign: Refusal = new Refusal(
  'forbidden',
  'forbidden: a session changes things only for pages of this server; ' +
    'Origin must be its own, and a program needs an Authorization header',
);

/** A `Basic` challenge would make the browser show a dialog; pages of the console have a form. */
export const sessionChallenge = { 'www-authenticate': 'Session realm="stepwell"' };

/** Whether a page sent this request; pages show refusals themselves. */
export function isSentByPage({ headers }: RequestHead): boolean {
  return headers['x-requested-with'] !== undefined;
}

/** Whether an origin, as browsers write it, is the server that `host` names, including its port. */
export function isOriginOf(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Why a request for a change is refused: no page of this server sent it; undefined if one did. */
export function judgeOrigin({ headers }: RequestHead): Refusal | undefined {
  const { origin, host } = headers;
  const isOwn = origin !== undefined && host !== undefined && isOriginOf(origin, host);
  return isOwn ? undefined : foreign;
}
