/** Wiring of subscriptions: what the engine decides, their pushes, and the topics they follow. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import { MessagesModule } from '../../messaging/messages/messages.module.js';
import { PublishingModule } from '../../messaging/publishing/publishing.module.js';
import { UrlGroupsModule } from '../../messaging/url-groups/url-groups.module.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsModule } from '../topics/topics.module.js';
import { MessageEnds } from './message-ends.js';
import { PushReport } from './push-report.js';
import { RecordPublisher } from './record-publisher.js';
import { TopicFollowers } from './subscription.effects.js';
import { Subscriptions } from './subscription.entity.js';
import { RecordPushes } from './subscription-partition.effects.js';
import { SubscriptionPartitions } from './subscription-partition.entity.js';
import { SubscriptionTargets } from './subscription-targets.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** A stop waits this long for the pushes that are under way. */
const stopDeadlineMs = 10_000;

const entities = [Subscriptions, SubscriptionPartitions];
const pushing = [SubscriptionTargets, MessageEnds, RecordPublisher, RecordPushes, PushReport];

@Module({
  imports: [TopicsModule, MessagesModule, PublishingModule, UrlGroupsModule],
  controllers: [SubscriptionsController],
  providers: [...entities, ...pushing, TopicFollowers, SubscriptionsService],
})
export class SubscriptionsModule {
  constructor(
    engine: Engine,
    messages: Messages,
    partitions: SubscriptionPartitions,
    ends: MessageEnds,
    pushes: RecordPushes,
    report: PushReport,
    followers: TopicFollowers,
    logs: TopicLogs,
    life: ProcessLife,
  ) {
    engine.carry('followTopic', followers);
    logs.onPartitions((topic) => followers.grown(topic));
    logs.onDropped((topic) => followers.dropped(topic));
    engine.carry('pushNext', pushes);
    messages.observe(ends.listener);
    partitions.observe(report.listener);
    life.addStoppable({
      name: 'subscription pushes',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => pushes.stop(),
    });
  }
}
