/** The commands of a bearer token; the id is its name. */
import type { Command } from '../../engine/decider.js';
import type { Role } from '../../http/identity/bearer-token.js';

/** Creates a token: clients that have it are admitted. */
export interface CreateToken extends Command {
  readonly type: 'CreateToken';
  /** The `tokenDigest` of the token. */
  readonly digest: string;
  readonly role: Role;
  /** When it expires, in Unix ms; null = never. */
  readonly expiresAt: number | null;
}

/** Revokes the token: it admits no client any more. */
export interface RevokeToken extends Command {
  readonly type: 'RevokeToken';
}

/** Makes the token expire. */
export interface ExpireToken extends Command {
  readonly type: 'ExpireToken';
}

/** Sent by `/admin/tokens`, except for `ExpireToken`, which the token's own effect sends. */
export type TokenCommand = CreateToken | RevokeToken | ExpireToken;
