/** Wiring of created credentials: the engine keeps them, the check of a request reads them. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { type RestCredentialState, restCredentialDecider } from './rest-credential.decider.js';
import { restCredentialKind } from './rest-credential.events.js';
import { RestCredentialsController } from './rest-credentials.controller.js';

@Module({ controllers: [RestCredentialsController] })
export class RestCredentialsModule {
  constructor(engine: Engine, basic: BasicCredentials) {
    engine.register({ decider: restCredentialDecider, view: null, folds: [] });
    const actors = engine.actors(restCredentialKind);
    basic.alsoKnow((name) => (actors.stateOf(name) as RestCredentialState) ?? undefined);
  }
}
