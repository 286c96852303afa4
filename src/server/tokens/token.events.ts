/** What can have happened to a created bearer token; its name is the id. */
import type { DomainEvent } from '../../engine/decider.js';
import type { Role } from '../../http/identity/bearer-token.js';

/** The stream kind of bearer tokens. */
export const tokenKind = 'token';

/** Clients that have it may enter from now on. */
export interface TokenCreated extends DomainEvent {
  readonly type: 'TokenCreated';
  /** SHA-256 in hexadecimal: the token itself is kept nowhere. */
  readonly digest: string;
  readonly role: Role;
  /** Unix milliseconds; null = it does not expire. */
  readonly expiresAt: number | null;
}

/** No client enters with it any more. */
export interface TokenRevoked extends DomainEvent {
  readonly type: 'TokenRevoked';
}

/** It has expired; its name is free. */
export interface TokenExpired extends DomainEvent {
  readonly type: 'TokenExpired';
}

/**
 * All events of a token's stream, which ends when the token does; its name may begin another one.
 */
export type TokenEvent = TokenCreated | TokenRevoked | TokenExpired;
