/** The signing keys in memory: one stream, `signingKeysId`. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { RotateSigningKeys } from './signing-keys.commands.js';
import { type SigningKeysState, signingKeysDecider } from './signing-keys.decider.js';
import type { SigningKeysEvent } from './signing-keys.events.js';

/** Rotated keys are in the journal in clear text, because deliveries are signed with them. */
@Injectable()
export class SigningKeys extends Entity<SigningKeysState, RotateSigningKeys, SigningKeysEvent> {
  constructor(engine: Engine) {
    super(engine, { decider: signingKeysDecider, view: null, folds: [] });
  }
}
