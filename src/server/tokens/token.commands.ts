/** The commands of a bearer token; its name is the id. */
import type { Command } from '../../engine/decider.js';
import type { Role } from '../../http/identity/bearer-token.js';

/** Let clients enter that have the token. */
export interface CreateToken extends Command {
  readonly type: 'CreateToken';
  /** Its `tokenDigest`. */
  readonly digest: string;
  readonly role: Role;
  /** From when on it is refused, Unix milliseconds; null = never. */
  readonly expiresAt: number | null;
}

/** Let no client enter with it any more. */
export interface RevokeToken extends Command {
  readonly type: 'RevokeToken';
}

/** The token expires. */
export interface ExpireToken extends Command {
  readonly type: 'ExpireToken';
}

/** From `/admin/tokens`, but for `ExpireToken`, which the token's own effect sends. */
export type TokenCommand = CreateToken | RevokeToken | ExpireToken;
