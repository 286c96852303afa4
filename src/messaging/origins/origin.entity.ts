/** The paused origins in memory; an origin that is not paused has no entity. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { OriginCommand } from './origin.commands.js';
import { type OriginState, type OriginView, originDecider } from './origin.decider.js';
import type { OriginEvent } from './origin.events.js';
import { OriginIndex } from './origin-index.projection.js';
import { PausedOrigins } from './paused-origins.js';

/** A pause applies to attempts from its decision on; see `PausedOriginGate`. */
@Injectable()
export class Origins extends Entity<OriginState, OriginCommand, OriginEvent, OriginView> {
  /** The origins whose pause is durable. */
  readonly paused = new PausedOrigins();

  constructor(engine: Engine) {
    const index = new OriginIndex();
    super(engine, { decider: originDecider, view: index, folds: [index] });
    this.index(this.paused.index, this.paused.memory);
  }
}
