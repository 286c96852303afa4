/** Names the owner of the bytes of a connection: its credential, else its address. */
import { peerAddressOf } from '../identity/callers.js';
import type { RequestHead } from '../request-head.js';

/**
 * A name for the credential of a request, in whatever spelling. If the request shows none, or it is
 * not checked (`isChecked` false), a name for the address that it comes from.
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
