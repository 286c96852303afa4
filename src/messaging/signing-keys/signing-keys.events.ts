/** What can have happened to the signing keys. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of signing keys; there is one stream, `signingKeysId`. */
export const signingKeysKind = 'signing-keys';
/** The id of that stream. */
export const signingKeysId = 'keys';

/** The next key became the current one and a new one stands behind it. */
export interface SigningKeysRotated extends DomainEvent {
  readonly type: 'SigningKeysRotated';
  /**
   * Digest of the configured pair that the first rotation began with: other pairs are not its
   * heirs.
   */
  readonly startedFrom: string;
  readonly current: string;
  readonly next: string;
}

/** All events of that stream, but for its checkpoints. */
export type SigningKeysEvent = SigningKeysRotated;
