/** Paused origins as features hold them; one that is not paused is not there. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { OriginCommand } from './origin.commands.js';
import { type OriginState, type OriginView, originDecider } from './origin.decider.js';
import type { OriginEvent } from './origin.events.js';
import { OriginIndex } from './origin-index.projection.js';
import { PausedOrigins } from './paused-origins.js';

/** A pause holds for attempts from when it is decided; see `PausedOriginGate`. */
@Injectable()
export class Origins extends Entity<OriginState, OriginCommand, OriginEvent, OriginView> {
  /** Those of which that is durable. */
  readonly paused = new PausedOrigins();

  constructor(engine: Engine) {
    const index = new OriginIndex();
    super(engine, { decider: originDecider, view: index, folds: [index] });
    this.index(this.paused.index, this.paused.memory);
  }
}
