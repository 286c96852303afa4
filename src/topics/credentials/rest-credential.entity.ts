/** Created credentials of the log interface as features hold them, by their names. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { RestCredentialCommand } from './rest-credential.commands.js';
import { type RestCredentialState, restCredentialDecider } from './rest-credential.decider.js';
import type { RestCredentialEvent } from './rest-credential.events.js';

/**
 * Looked up for every request with Basic credentials, so it is in memory; a stream that is deleted
 * goes.
 */
@Injectable()
export class RestCredentials extends Entity<
  RestCredentialState,
  RestCredentialCommand,
  RestCredentialEvent
> {
  constructor(engine: Engine) {
    super(engine, { decider: restCredentialDecider, view: null, folds: [] });
  }
}
