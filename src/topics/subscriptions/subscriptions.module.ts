/** Wiring of subscriptions: their entities in the engine, and the topics that they follow. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { MessagesModule } from '../../messaging/messages/messages.module.js';
import { PublishingModule } from '../../messaging/publishing/publishing.module.js';
import { UrlGroupsModule } from '../../messaging/url-groups/url-groups.module.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsModule } from '../topics/topics.module.js';
import { TopicFollowers } from './subscription.effects.js';
import { Subscriptions } from './subscription.entity.js';
import { SubscriptionPartitions } from './subscription-partition.entity.js';
import { SubscriptionTargets } from './subscription-targets.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsService } from './subscriptions.service.js';

const shared = [Subscriptions, SubscriptionPartitions, SubscriptionTargets];

/**
 * Exports what pushes need. The name of a deleted topic becomes free only when its subscriptions
 * are gone.
 */
@Module({
  imports: [TopicsModule, MessagesModule, PublishingModule, UrlGroupsModule],
  controllers: [SubscriptionsController],
  providers: [...shared, TopicFollowers, SubscriptionsService],
  exports: shared,
})
export class SubscriptionsModule {
  constructor(engine: Engine, followers: TopicFollowers, logs: TopicLogs) {
    engine.carry('followTopic', followers);
    logs.onPartitions((topic) => followers.grown(topic));
    logs.onDropped((topic) => followers.dropped(topic));
  }
}
