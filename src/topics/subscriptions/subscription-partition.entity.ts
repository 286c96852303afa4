/** The entity of partitions of subscriptions; see `subscriptionPartitionId`. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import type { SubscriptionPartitionCommand } from './subscription-partition.commands.js';
import {
  type PartitionState,
  partitionDecider,
  type SubscriptionPartitionView,
} from './subscription-partition.decider.js';
import type { SubscriptionPartitionEvent } from './subscription-partition.events.js';

/** A state of null means that the subscription does not push this partition. */
@Injectable()
export class SubscriptionPartitions extends Entity<
  PartitionState,
  SubscriptionPartitionCommand,
  SubscriptionPartitionEvent,
  SubscriptionPartitionView
> {
  /**
   * A push waits for the messages of the previous push, so its decision reads whether they are
   * pending.
   */
  constructor(engine: Engine, messages: Messages) {
    const view = { isPending: (messageId: string) => messages.has(messageId) };
    super(engine, { decider: partitionDecider, view, folds: [] });
  }
}
