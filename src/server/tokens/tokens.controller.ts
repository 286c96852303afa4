/** `/admin/tokens`: named bearer tokens, in addition to those of the configuration. */
import { Controller, Delete, Get, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../engine/clock.js';
import { type Identifiers, newSecret } from '../../engine/identifiers.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { tokenDigest } from '../../http/identity/bearer-token.js';
import { By } from '../../http/identity/callers.js';
import { valueIn } from '../../http/outcome.js';
import { rawBody } from '../../http/routes/raw-body.js';
import { Describe } from '../../http/routes/route-description.js';
import { success } from '../../http/success.js';
import { tokenOf } from '../credentials/credentials.js';
import { KnownTokens } from './known-tokens.js';
import { Tokens } from './token.entity.js';
import { tokenKind } from './token.events.js';
import { parseToken, type TokenRequest } from './token.request.js';
import { tokenRoutes } from './tokens.openapi.js';

/** A token as it is shown; only the answer that creates it contains the token itself. */
type TokenObject = TokenRequest & { readonly createdAt: number };

/**
 * All routes require the right to administer. A token is shown once, in the answer that creates it.
 */
@Controller('admin/tokens')
export class TokensController {
  constructor(
    private readonly tokens: Tokens,
    private readonly known: KnownTokens,
    private readonly basic: BasicCredentials,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {}

  @Post()
  @Describe(tokenRoutes.create)
  async create(
    @By() by: Caller,
    @Req() request: FastifyRequest,
  ): Promise<TokenObject & { readonly token: string }> {
    this.basic.require(request.raw, 'administer');
    const { name, role, expiresAt } = valueIn(parseToken(rawBody(request)));
    const password = newSecret(this.identifiers);
    const token = tokenOf(name, password);
    const address = this.address(name);
    const fields = { digest: tokenDigest(token), role, expiresAt };
    valueIn(await this.tokens.ask({ type: 'CreateToken', ...address, ...fields }, by));
    return { name, role, createdAt: address.at, expiresAt, token };
  }

  @Get()
  @Describe(tokenRoutes.list)
  async list(
    @Req() request: FastifyRequest,
  ): Promise<readonly (TokenObject & { readonly lastUsedAt: number | null })[]> {
    this.basic.require(request.raw, 'administer');
    return this.tokens.shown(() =>
      [...this.tokens.actors.ids()].sort().flatMap((name) => {
        const state = this.tokens.stateOf(name);
        if (state === null) return [];
        const { role, createdAt, expiresAt } = state;
        return [{ name, role, createdAt, expiresAt, lastUsedAt: this.known.lastUsedAt(name) }];
      }),
    );
  }

  @Delete(':name')
  @Describe(tokenRoutes.remove)
  async remove(
    @By() by: Caller,
    @Req() request: FastifyRequest,
    @Param('name') name: string,
  ): Promise<typeof success> {
    this.basic.require(request.raw, 'administer');
    valueIn(await this.tokens.ask({ type: 'RevokeToken', ...this.address(name) }, by));
    return success;
  }

  private address(id: string) {
    return { kind: tokenKind, id, at: this.clock.now() };
  }
}
