/** Wiring of the signing keys. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { provided } from '../../engine/provided.js';
import { Keyring } from './keyring.js';
import { SigningKeysController } from './signing-keys.controller.js';
import { signingKeysDecider } from './signing-keys.decider.js';

/** The keys that the server begins with. */
interface ConfiguredKeys {
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
}

@Module({
  controllers: [SigningKeysController],
  providers: [
    {
      provide: Keyring,
      inject: [Engine, provided.credentials, provided.clock, provided.identifiers],
      useFactory: (
        engine: Engine,
        { currentSigningKey: current, nextSigningKey: next }: ConfiguredKeys,
        clock: Clock,
        identifiers: Identifiers,
      ) => {
        engine.register({ decider: signingKeysDecider, view: null, folds: [] });
        return new Keyring(engine, { current, next }, clock, identifiers);
      },
    },
  ],
  exports: [Keyring],
})
export class SigningKeysModule {}
