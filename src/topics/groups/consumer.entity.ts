/** The entity of consumer instances; see `consumerId`. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { ConsumerCommand } from './consumer.commands.js';
import { type ConsumerState, consumerDecider } from './consumer.decider.js';
import type { ConsumerEvent } from './consumer.events.js';

/** An instance exists from the turn in which it joins the group to the turn in which it leaves. */
@Injectable()
export class Consumers extends Entity<ConsumerState, ConsumerCommand, ConsumerEvent> {
  constructor(engine: Engine) {
    super(engine, { decider: consumerDecider, view: null, folds: [] });
  }
}
