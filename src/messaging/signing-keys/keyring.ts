/** The keys in use, for what shows or rotates them, and the signature of a delivery. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { provided } from '../../engine/provided.js';
import { DeliverySigner, type SigningInput } from './delivery-signer.js';
import type { KeyPair, RotateSigningKeys } from './signing-keys.commands.js';
import { keysInUse } from './signing-keys.decider.js';
import { SigningKeys } from './signing-keys.entity.js';
import { signingKeysId, signingKeysKind } from './signing-keys.events.js';

/** The keys that the configuration names or the first start generated. */
interface ConfiguredKeys {
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
}

/** Random bytes of a fresh key. */
const keyBytes = 24;

/** Signing takes the keys as memory has them: a rotation is in force when it is decided. */
@Injectable()
export class Keyring {
  private readonly configured: KeyPair;
  private readonly signer = new DeliverySigner();

  constructor(
    private readonly keys: SigningKeys,
    @Inject(provided.credentials) { currentSigningKey, nextSigningKey }: ConfiguredKeys,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    this.configured = { current: currentSigningKey, next: nextSigningKey };
  }

  /** The pair that signs now. */
  get inUse(): KeyPair {
    const keys = this.keys.find(signingKeysId);
    return keys === undefined ? this.configured : keysInUse(keys.state, this.configured);
  }

  /** Signs one attempt with the current key. */
  sign({ issuer, url, body, now, id }: Omit<SigningInput, 'key'>): string {
    return this.signer.sign({ key: this.inUse.current, issuer, url, body, now, id });
  }

  /** The command that makes the next key current and a fresh one next. */
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
}
