/** Wiring of the watch over credentials: it checks soon after one was removed. */
import { Module } from '@nestjs/common';
import { RestCredentials } from '../../topics/credentials/rest-credential.entity.js';
import { RestCredentialsModule } from '../../topics/credentials/rest-credentials.module.js';
import { CredentialWatch } from '../inbound/credential-watch.js';
import { Tokens } from './token.entity.js';
import { TokensModule } from './tokens.module.js';

/** It depends on the modules of tokens and of credentials, and observes both. */
@Module({
  imports: [TokensModule, RestCredentialsModule],
  providers: [CredentialWatch],
  exports: [CredentialWatch],
})
export class CredentialWatchModule {
  constructor(watch: CredentialWatch, tokens: Tokens, credentials: RestCredentials) {
    tokens.observe(() => watch.lookSoon());
    credentials.observe(() => watch.lookSoon());
  }
}
