/** The signing keys as features hold them: one stream, `signingKeysId`. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { RotateSigningKeys } from './signing-keys.commands.js';
import { type SigningKeysState, signingKeysDecider } from './signing-keys.decider.js';
import type { SigningKeysEvent } from './signing-keys.events.js';

/** Keys that were rotated are in the journal in clear, as deliveries are signed with them. */
@Injectable()
export class SigningKeys extends Entity<SigningKeysState, RotateSigningKeys, SigningKeysEvent> {
  constructor(engine: Engine) {
    super(engine, { decider: signingKeysDecider, view: null, folds: [] });
  }
}
