/** The commands of the signing keys. */
import type { Command } from '../../engine/decider.js';

/** A pair of HS256 keys: deliveries are signed with `current`; receivers accept both. */
export interface KeyPair {
  readonly current: string;
  readonly next: string;
}

/**
 * Make `configured.next` (or the next key of the last rotation) current and `fresh` the next one.
 * The result is the pair that signs from then on.
 */
export interface RotateSigningKeys extends Command<KeyPair> {
  readonly type: 'RotateSigningKeys';
  readonly configured: KeyPair;
  readonly fresh: string;
}
