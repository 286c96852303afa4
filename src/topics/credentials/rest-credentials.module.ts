/** Wiring of created credentials: the engine stores them, and the check of requests reads them. */
import { Module } from '@nestjs/common';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { RestCredentials } from './rest-credential.entity.js';
import { RestCredentialsController } from './rest-credentials.controller.js';

/**
 * A created credential is admitted to the log interface with its grant. The configured pair takes
 * precedence over a credential of the same name.
 */
@Module({
  controllers: [RestCredentialsController],
  providers: [RestCredentials],
  exports: [RestCredentials],
})
export class RestCredentialsModule {
  constructor(credentials: RestCredentials, basic: BasicCredentials) {
    basic.alsoKnow((name) => credentials.stateOf(name) ?? undefined);
  }
}
