/** The events of a created bearer token; the id is its name. */
import type { DomainEvent } from '../../engine/decider.js';
import type { Role } from '../../http/identity/bearer-token.js';

/** The stream kind of bearer tokens. */
export const tokenKind = 'token';

/** From now on, clients that have the token are admitted. */
export interface TokenCreated extends DomainEvent {
  readonly type: 'TokenCreated';
  /** SHA-256 in hexadecimal: the token itself is not kept anywhere. */
  readonly digest: string;
  readonly role: Role;
  /** In Unix ms; null if it does not expire. */
  readonly expiresAt: number | null;
}

/** From now on, the token admits no client. */
export interface TokenRevoked extends DomainEvent {
  readonly type: 'TokenRevoked';
}

/** The token has expired; its name is free. */
export interface TokenExpired extends DomainEvent {
  readonly type: 'TokenExpired';
}

/**
 * All events of a token's stream, which ends with the token; its name may then begin another one.
 */
export type TokenEvent = TokenCreated | TokenRevoked | TokenExpired;
