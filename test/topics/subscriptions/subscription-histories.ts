/** Random histories of subscriptions, with the topics and messages that they need. */
import fc from 'fast-check';
import type { Engine } from '../../../src/engine/engine.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import type { SubscriptionCommand } from '../../../src/topics/subscriptions/subscription.commands.js';
import { subscriptionDecider } from '../../../src/topics/subscriptions/subscription.decider.js';
import type { PushRecords } from '../../../src/topics/subscriptions/subscription-partition.commands.js';
import { partitionDecider } from '../../../src/topics/subscriptions/subscription-partition.decider.js';
import { topicDecider } from '../../../src/topics/topics/topic.decider.js';
import type { TopicState } from '../../../src/topics/topics/topic.state.js';
import { carriesNothing, commandsTo, historyStart } from '../../support/deciders/histories.js';
import {
  messageCommands,
  publish,
  registerMessages,
} from '../../support/deciders/message-histories.js';
import { registerTopics, topicCommands } from '../../support/deciders/topic-histories.js';
import { subscriptionDefinition } from '../../support/subscription-definition.js';

const anySubscription = fc.constantFrom('push', 'other', 'no name');
const subscriptionCommands = commandsTo<SubscriptionCommand>(
  subscriptionDecider.kind,
  fc.oneof(
    fc
      .record({
        id: anySubscription,
        topic: fc.constantFrom('rides', 'fares'),
        maxRecords: fc.constantFrom(1, 10, 501),
        positions: fc.array(fc.nat(3), { minLength: 1, maxLength: 2 }),
      })
      .map(({ id, positions, ...changes }) => ({
        type: 'CreateSubscription' as const,
        id,
        positions,
        definition: subscriptionDefinition(changes),
      })),
    fc.record({
      type: fc.constant('GrowSubscription' as const),
      id: anySubscription,
      partitions: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({
      type: fc.constantFrom('PauseSubscription' as const, 'ResumeSubscription' as const),
      id: anySubscription,
    }),
    fc.record({
      type: fc.constant('DeleteSubscription' as const),
      id: anySubscription,
      cause: fc.constantFrom('request' as const, 'topicDeleted' as const),
    }),
  ),
);

const pushes = commandsTo<PushRecords>(
  partitionDecider.kind,
  fc
    .record({
      id: fc.constantFrom('push/0', 'push/1', 'other/0'),
      position: fc.nat(3),
      records: fc.nat(2),
      messages: fc.array(publish, { maxLength: 2 }),
    })
    .map(({ position, messages, ...rest }) => ({
      type: 'PushRecords' as const,
      ...rest,
      position,
      from: position,
      until: position + 1,
      skipped: 0,
      messages: messages.map((message) => ({
        ...message,
        kind: messageKind,
        at: historyStart,
      })),
    })),
);

/**
 * Commands to topics, subscriptions, their partitions and the messages that the partitions publish.
 */
export const subscriptionHistories = fc.oneof(
  topicCommands,
  { weight: 3, arbitrary: subscriptionCommands },
  { weight: 4, arbitrary: pushes },
  { weight: 2, arbitrary: messageCommands },
);

/** Registers all four kinds; returns the ids of deduplication. */
export function registerSubscriptions(engine: Engine) {
  registerTopics(engine);
  const partitionsOf = (topic: string) =>
    (engine.actors(topicDecider.kind).stateOf(topic) as TopicState)?.partitions ?? 0;
  const isPending = (id: string) => engine.actors(messageKind).has(id);
  engine.register({ decider: subscriptionDecider, view: { partitionsOf }, folds: [] });
  engine.register({ decider: partitionDecider, view: { isPending }, folds: [] });
  engine.carry('followTopic', carriesNothing);
  engine.carry('pushNext', carriesNothing);
  return registerMessages(engine).deduplication;
}
