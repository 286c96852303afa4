/** The created bearer tokens, by name. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { TokenCommand } from './token.commands.js';
import { type TokenState, type TokenView, tokenDecider } from './token.decider.js';
import type { TokenEvent } from './token.events.js';
import { TokenIndex } from './token-index.projection.js';

/** Its index finds the token of a request without searching all of them. */
@Injectable()
export class Tokens extends Entity<TokenState, TokenCommand, TokenEvent, TokenView> {
  private readonly byDigest: TokenIndex;

  constructor(engine: Engine) {
    const index = new TokenIndex();
    super(engine, { decider: tokenDecider, view: index, folds: [index] });
    this.byDigest = index;
  }

  /** The name of the token with this digest. */
  nameOf(digest: string): string | undefined {
    return this.byDigest.find(digest);
  }
}
