/** The entity of created credentials of the log interface, by their names. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { RestCredentialCommand } from './rest-credential.commands.js';
import { type RestCredentialState, restCredentialDecider } from './rest-credential.decider.js';
import type { RestCredentialEvent } from './rest-credential.events.js';

/**
 * Kept in memory, because every request with Basic credentials looks one up; deleted credentials
 * leave memory.
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
