/** The keys in use, for the code that signs with them, shows them or rotates them. */

import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { type SigningInput, sign } from '../outbound/signature.js';
import type { KeyPair, RotateSigningKeys } from './signing-keys.commands.js';
import { isRotatedFrom, keysInUse, type SigningKeysState } from './signing-keys.decider.js';
import { signingKeysId, signingKeysKind } from './signing-keys.events.js';

/** Random bytes of a fresh key. */
const keyBytes = 24;

export class Keyring {
  /** `configured` is the pair that the configuration names or the first start generated. */
  constructor(
    private readonly engine: Engine,
    private readonly configured: KeyPair,
    private readonly clock: Clock,
    private readonly identifiers: Identifiers,
  ) {}

  /** The pair that signs now. */
  get inUse(): KeyPair {
    return keysInUse(this.state, this.configured);
  }

  /** Whether the journal's keys stand in for the configured ones: the start line says so. */
  get isRotated(): boolean {
    return isRotatedFrom(this.state, this.configured);
  }

  /** Signs one attempt with the current key. */
  sign(delivery: Omit<SigningInput, 'key'>): string {
    return sign({ ...delivery, key: this.inUse.current });
  }

  /** What makes the next key current and a fresh one next. */
  rotation(): RotateSigningKeys {
    return {
      type: 'RotateSigningKeys',
      kind: signingKeysKind,
      id: signingKeysId,
      at: this.clock.now(),
      configured: this.configured,
      fresh: `sig_${this.identifiers.randomBytes(keyBytes).toString('base64url')}`,
    };
  }

  private get state(): SigningKeysState {
    return this.engine.actors(signingKeysKind).stateOf(signingKeysId) as SigningKeysState;
  }
}
