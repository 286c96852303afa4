/** Wiring of created tokens: the engine keeps them, the check of a request reads them. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { BearerTokens } from '../../http/identity/bearer-token.js';
import { KnownTokens } from './known-tokens.js';
import { TokenExpiry } from './token.effects.js';
import { Tokens } from './token.entity.js';
import { TokensController } from './tokens.controller.js';

/** A created token is accepted by both interfaces, with the rights of its role. */
@Module({
  controllers: [TokensController],
  providers: [Tokens, KnownTokens, TokenExpiry],
  exports: [Tokens],
})
export class TokensModule {
  constructor(
    engine: Engine,
    tokens: Tokens,
    known: KnownTokens,
    expiry: TokenExpiry,
    bearer: BearerTokens,
    basic: BasicCredentials,
  ) {
    bearer.alsoKnow((digest) => known.find(digest));
    bearer.alsoName((user) => known.isGood(user));
    basic.alsoAccept(bearer);
    engine.carry('expireToken', expiry);
    tokens.observe((envelopes) => {
      for (const { id, event } of envelopes) {
        if (event.type === 'TokenCreated') continue;
        known.forget(id);
      }
    });
  }
}
