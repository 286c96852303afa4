/** The entity of subscriptions, by their names. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { Topics } from '../topics/topic.entity.js';
import type { SubscriptionCommand } from './subscription.commands.js';
import { type SubscriptionView, subscriptionDecider } from './subscription.decider.js';
import type { SubscriptionDefinition, SubscriptionEvent } from './subscription.events.js';
import type { SubscriptionState } from './subscription.machine.js';

/** The progress of each partition is in `SubscriptionPartitions`. */
@Injectable()
export class Subscriptions extends Entity<
  SubscriptionState,
  SubscriptionCommand,
  SubscriptionEvent,
  SubscriptionView
> {
  constructor(engine: Engine, topics: Topics) {
    super(engine, { decider: subscriptionDecider, view: topics, folds: [] });
  }

  /** The definition of a subscription; null = there is none with this name. */
  definitionOf(name: string): SubscriptionDefinition | null {
    return this.stateOf(name).context.definition;
  }
}
