/** Consumer instances as features hold them; see `consumerId`. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { ConsumerCommand } from './consumer.commands.js';
import { type ConsumerState, consumerDecider } from './consumer.decider.js';
import type { ConsumerEvent } from './consumer.events.js';

/** An instance is there from the turn that made it a member until the turn in which it leaves. */
@Injectable()
export class Consumers extends Entity<ConsumerState, ConsumerCommand, ConsumerEvent> {
  constructor(engine: Engine) {
    super(engine, { decider: consumerDecider, view: null, folds: [] });
  }
}
