/** `/v2/keys`: the pair that receivers verify with, and its rotation (messaging.md 11). */
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { resultOf } from '../../http/outcome.js';
import { Describe } from '../../http/routes/route-description.js';
import { Keyring } from './keyring.js';
import type { KeyPair } from './signing-keys.commands.js';
import { signingKeyRoutes } from './signing-keys.openapi.js';

@Controller('v2/keys')
export class SigningKeysController {
  constructor(
    private readonly engine: Engine,
    private readonly keyring: Keyring,
  ) {}

  @Get()
  @Describe(signingKeyRoutes.show)
  async show(): Promise<KeyPair> {
    const keys = this.keyring.inUse;
    await this.engine.durable();
    return keys;
  }

  @Post('rotate')
  @HttpCode(200)
  @Describe(signingKeyRoutes.rotate)
  async rotate(): Promise<KeyPair> {
    const [outcome] = await this.engine.dispatch([this.keyring.rotation()]);
    return resultOf(outcome);
  }
}
