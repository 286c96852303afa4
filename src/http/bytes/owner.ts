/** On whose account the bytes of a connection go: its credential's, else its address's. */
import { peerAddressOf } from '../identity/callers.js';
import type { RequestHead } from '../request-head.js';

/**
 * A name for the credential of a request, however it is spelled; where it shows none, or nothing
 * has checked it (`isChecked` false), for the address it comes from.
 */
export function ownerOf(request: RequestHead, isChecked: boolean): string {
  const { headers } = request;
  const [, scheme = '', secret = ''] = /^(\w+) +(\S+)$/.exec(headers.authorization ?? '') ?? [];
  if (!isChecked || secret === '') return `address ${peerAddressOf(request)}`;
  if (scheme.toLowerCase() === 'bearer') return `token ${secret}`;
  const pair = Buffer.from(secret, 'base64').toString();
  const colon = pair.indexOf(':');
  return `user ${colon < 0 ? pair : pair.slice(0, colon)}`;
}
