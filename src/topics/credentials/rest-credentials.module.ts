/** Wiring of created credentials: the engine keeps them, the check of a request reads them. */
import { Module } from '@nestjs/common';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { RestCredentials } from './rest-credential.entity.js';
import { RestCredentialsController } from './rest-credentials.controller.js';

/**
 * A created credential enters the log interface, with its grant; the configured pair wins over one
 * of the same name.
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
