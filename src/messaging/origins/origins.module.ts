/** Wiring of origins: their pauses, and how they are shown. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { Gates } from '../gates/gates.js';
import { GatesModule } from '../gates/gates.module.js';
import { AddressGuard } from '../outbound/address-guard.js';
import type { Endpoints } from '../outbound/endpoints.js';
import type { MessagingSettings } from '../settings.js';
import { Origins } from './origin.entity.js';
import { OriginsController } from './origins.controller.js';
import { PausedOriginGate } from './paused-origin-gate.js';
import { Reach } from './reach.js';

@Module({
  imports: [GatesModule],
  controllers: [OriginsController],
  exports: [Origins],
  providers: [
    Origins,
    {
      provide: Reach,
      inject: [AddressGuard, provided.endpoints, provided.config, provided.clock],
      useFactory: (
        guard: AddressGuard,
        endpoints: Endpoints,
        { hostOverrides }: MessagingSettings,
        clock: Clock,
      ) => new Reach(guard, endpoints, hostOverrides, clock),
    },
  ],
})
export class OriginsModule {
  constructor(origins: Origins, gates: Gates) {
    gates.add(new PausedOriginGate(origins, gates));
  }
}
