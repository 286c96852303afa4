/** Wiring of pushes, which turn the records of subscribed topics into messages. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import { MessagesModule } from '../../messaging/messages/messages.module.js';
import { SubscriptionPartitions } from '../subscriptions/subscription-partition.entity.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { MessageEnds } from './message-ends.js';
import { PushReport } from './push-report.js';
import { RecordPublisher } from './record-publisher.js';
import { RecordPushes } from './record-pushes.js';

/** How long a stop waits for running pushes. */
const stopDeadlineMs = 10_000;

/** A stop waits up to 10 s for running pushes. */
@Module({
  imports: [TopicsModule, MessagesModule, SubscriptionsModule],
  providers: [MessageEnds, RecordPublisher, RecordPushes, PushReport],
})
export class PushesModule {
  constructor(
    engine: Engine,
    messages: Messages,
    partitions: SubscriptionPartitions,
    ends: MessageEnds,
    pushes: RecordPushes,
    report: PushReport,
    life: ProcessLife,
  ) {
    engine.carry('pushNext', pushes);
    messages.observe(ends.listener, ends.interest);
    partitions.observe(report.listener);
    life.addStoppable({
      name: 'subscription pushes',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => pushes.stop(),
    });
  }
}
