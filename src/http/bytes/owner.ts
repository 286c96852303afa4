/** Names the owner of the bytes of a request: its credential, else its address. */
import { peerAddressOf } from '../identity/callers.js';
import type { RequestHead } from '../request-head.js';

/** Who answers for a request: its credential, which is known; its address; or all strangers. */
export type OwnerKind = 'credential' | 'address' | 'strangers';

/**
 * A name for the owner of a request's bytes. A credential has one name in whatever spelling; a
 * request that shows none belongs to its address.
 */
export function ownerOf(request: RequestHead, kind: OwnerKind): string {
  const { headers } = request;
  if (kind === 'strangers') return 'strangers';
  const [, scheme = '', secret = ''] = /^(\w+) +(\S+)$/.exec(headers.authorization ?? '') ?? [];
  if (kind === 'address' || secret === '') return `address ${peerAddressOf(request)}`;
  if (scheme.toLowerCase() === 'bearer') return `token ${secret}`;
  const pair = Buffer.from(secret, 'base64').toString();
  const colon = pair.indexOf(':');
  return `user ${colon < 0 ? pair : pair.slice(0, colon)}`;
}
