/** `/v2/keys`: the pair that receivers verify with, and its rotation (messaging.md 11). */
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { Caller } from '../../engine/principal/principal.js';
import { By } from '../../http/identity/callers.js';
import { valueIn } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { Keyring } from './keyring.js';
import type { KeyPair } from './signing-keys.commands.js';
import { SigningKeys } from './signing-keys.entity.js';
import { signingKeyRoutes } from './signing-keys.openapi.js';

/** Keys are secrets: a token that may only read is refused (403). */
@Controller('v2/keys')
export class SigningKeysController {
  constructor(
    private readonly keys: SigningKeys,
    private readonly keyring: Keyring,
  ) {}

  @Get()
  @Describe(signingKeyRoutes.show)
  show(): Promise<KeyPair> {
    return this.keys.shown(() => this.keyring.inUse);
  }

  @Post('rotate')
  @HttpCode(200)
  @Describe(signingKeyRoutes.rotate)
  async rotate(@By() by: Caller): Promise<KeyPair> {
    return valueIn(await this.keys.ask(this.keyring.rotation(), by));
  }
}
