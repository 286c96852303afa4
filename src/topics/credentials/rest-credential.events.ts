/** What can have happened to a created credential of the log interface; its name is the id. */
import type { DomainEvent } from '../../engine/decider.js';
import type { Grant } from '../../http/identity/grant.js';

/** The stream kind of credentials of the log interface. */
export const restCredentialKind = 'rest-credential';

/** A client that has the password may enter from now on. */
export interface RestCredentialCreated extends DomainEvent, Grant {
  readonly type: 'RestCredentialCreated';
  /** SHA-256 of `name:password` in hexadecimal: the password itself is kept nowhere. */
  readonly digest: string;
}

/** No client enters with it any more. */
export interface RestCredentialDeleted extends DomainEvent {
  readonly type: 'RestCredentialDeleted';
}

/**
 * All events of a credential's stream, which ends when it is deleted; its name may begin another
 * one.
 */
export type RestCredentialEvent = RestCredentialCreated | RestCredentialDeleted;
