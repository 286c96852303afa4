/** Wiring of origins: their pauses and their routes. */
import { Module } from '@nestjs/common';
import { Gates } from '../gates/gates.js';
import { GatesModule } from '../gates/gates.module.js';
import { Origins } from './origin.entity.js';
import { OriginsController } from './origins.controller.js';
import { PausedOriginGate } from './paused-origin-gate.js';
import { Reach } from './reach.js';

/** Adds the gate that holds back attempts to a paused origin. */
@Module({
  imports: [GatesModule],
  controllers: [OriginsController],
  exports: [Origins],
  providers: [Origins, Reach],
})
export class OriginsModule {
  constructor(origins: Origins, gates: Gates) {
    gates.add(new PausedOriginGate(origins, gates));
  }
}
