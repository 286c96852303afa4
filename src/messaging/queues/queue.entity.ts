/** The queues in memory, by name. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { QueueCommand } from './queue.commands.js';
import { type QueueState, queueDecider } from './queue.decider.js';
import type { QueueEvent } from './queue.events.js';

/** A state of null = the queue does not exist. */
@Injectable()
export class Queues extends Entity<QueueState, QueueCommand, QueueEvent> {
  constructor(engine: Engine) {
    super(engine, { decider: queueDecider, view: null, folds: [] });
  }
}
