/** Wiring of the signing keys. */
import { Module } from '@nestjs/common';
import { Keyring } from './keyring.js';
import { SigningKeysController } from './signing-keys.controller.js';
import { SigningKeys } from './signing-keys.entity.js';

/** Exports the keyring, which signs deliveries. */
@Module({
  controllers: [SigningKeysController],
  providers: [Keyring, SigningKeys],
  exports: [Keyring],
})
export class SigningKeysModule {}
