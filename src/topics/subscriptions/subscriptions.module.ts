/** Wiring of subscriptions: their deciders, their pushes, and the topics that they follow. */
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/subscribers.js';
import { Intake } from '../../http/intake.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { Publisher } from '../../messaging/publishing/publisher.js';
import { PublishingModule } from '../../messaging/publishing/publishing.module.js';
import { messageTargets } from '../../messaging/url-groups/message-targets.js';
import { type UrlGroup, urlGroupKind } from '../../messaging/url-groups/url-group.events.js';
import type { TopicSettings } from '../settings.js';
import { TopicAccessModule } from '../topics/topic-access.module.js';
import { TopicsService } from '../topics/topics.service.js';
import { MessageEnds } from './message-ends.js';
import { PushMetrics } from './push.metrics.js';
import { subscriptionDecider } from './subscription.decider.js';
import { TopicFollowers } from './subscription.effects.js';
import { type SubscriptionDefinition, subscriptionKind } from './subscription.events.js';
import type { SubscriptionState } from './subscription.machine.js';
import { partitionDecider } from './subscription-partition.decider.js';
import { RecordPushes } from './subscription-partition.effects.js';
import {
  type SubscriptionPartitionEvent,
  subscriptionPartitionKind,
} from './subscription-partition.events.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** A stop waits this long for the pushes that are on their way. */
const stopDeadlineMs = 10_000;

@Module({
  imports: [TopicAccessModule, PublishingModule],
  controllers: [SubscriptionsController],
  providers: [
    {
      provide: SubscriptionsService,
      inject: [
        Engine,
        TopicsService,
        Publisher,
        Intake,
        ProcessLife,
        Registry,
        provided.config,
        provided.clock,
        provided.identifiers,
        provided.log,
      ],
      useFactory: subscriptions,
    },
  ],
})
export class SubscriptionsModule {}

function subscriptions(
  engine: Engine,
  topics: TopicsService,
  frontDesk: Publisher,
  intake: Intake,
  life: ProcessLife,
  registry: Registry,
  { maxBodyBytes: bodyBytesMax }: TopicSettings,
  clock: Clock,
  identifiers: Identifiers,
  log: Logger,
): SubscriptionsService {
  const isPending = (messageId: string) => engine.actors(messageKind).has(messageId);
  const findGroup = (name: string) =>
    engine.actors(urlGroupKind).find(name)?.state as UrlGroup | undefined;
  const targetsOf = ({ url, groupName }: Pick<SubscriptionDefinition, 'url' | 'groupName'>) =>
    messageTargets(url, groupName, findGroup);
  engine.register({ decider: subscriptionDecider, view: topics, folds: [] });
  engine.register({ decider: partitionDecider, view: { isPending }, folds: [] });
  follow(engine, topics, clock);
  const ends = new MessageEnds(isPending);
  engine.observe([messageKind], ends.listener);
  const pushes = new RecordPushes({
    engine,
    topics,
    ends,
    clock,
    identifiers,
    bodyBytesMax,
    targetsOf,
    definitionOf: (name) =>
      (engine.actors(subscriptionKind).stateOf(name) as SubscriptionState).context.definition,
    hasRoom: () => intake.take(0) === null,
    failed: (err, place) => log.error({ err, ...place }, 'a push failed; it will be tried again'),
  });
  engine.carry('pushNext', pushes);
  life.addStoppable({
    name: 'subscription pushes',
    phase: 'doors',
    deadlineMs: stopDeadlineMs,
    stop: () => pushes.stop(),
  });
  engine.observe([subscriptionPartitionKind], pushListener(new PushMetrics(registry), log));
  const readTemplate = frontDesk.readTemplate.bind(frontDesk);
  return new SubscriptionsService({ engine, topics, clock, readTemplate, targetsOf, isPending });
}

function follow(engine: Engine, topics: TopicsService, clock: Clock): void {
  const followers = new TopicFollowers(engine, topics, clock);
  engine.carry('followTopic', followers);
  topics.onPartitions((topic) => followers.grown(topic));
  topics.onDropped((topic) => followers.dropped(topic));
}

/** Counts what was pushed, and says what never will be. */
function pushListener(
  metrics: PushMetrics,
  log: Logger,
): EventListener<SubscriptionPartitionEvent> {
  return (envelopes) => {
    for (const { id, event } of envelopes) {
      if (event.type !== 'RecordsPushed') continue;
      const { records, skipped, until } = event;
      metrics.pushed(records, skipped);
      if (skipped === 0) continue;
      const skip = { partition: id, skipped, before: until };
      log.warn(skip, 'records were not pushed: gone before their turn, or too large');
    }
  };
}
