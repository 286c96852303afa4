/** The events of the signing keys. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of signing keys; there is one stream, `signingKeysId`. */
export const signingKeysKind = 'signing-keys';
/** The id of that stream. */
export const signingKeysId = 'keys';

/** The next key became the current one, and a new key became the next one. */
export interface SigningKeysRotated extends DomainEvent {
  readonly type: 'SigningKeysRotated';
  /**
   * Digest of the configured pair that the first rotation began with: the rotated keys do not
   * replace any other pair.
   */
  readonly startedFrom: string;
  readonly current: string;
  readonly next: string;
}

/** All events of the stream, except checkpoints. */
export type SigningKeysEvent = SigningKeysRotated;
