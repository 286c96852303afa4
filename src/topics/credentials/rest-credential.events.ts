/** The events of a created credential of the log interface; the id is its name. */
import type { DomainEvent } from '../../engine/decider.js';
import type { Grant } from '../../http/identity/grant.js';

/** The stream kind of credentials of the log interface. */
export const restCredentialKind = 'rest-credential';

/** The credential was created: clients that have the password are admitted. */
export interface RestCredentialCreated extends DomainEvent, Grant {
  readonly type: 'RestCredentialCreated';
  /** SHA-256 of `name:password` in hexadecimal; the password itself is never stored. */
  readonly digest: string;
}

/** The credential was deleted: no client is admitted with it any more. */
export interface RestCredentialDeleted extends DomainEvent {
  readonly type: 'RestCredentialDeleted';
}

/**
 * All events of a credential's stream, which ends with its deletion; the name may then start
 * another stream.
 */
export type RestCredentialEvent = RestCredentialCreated | RestCredentialDeleted;
