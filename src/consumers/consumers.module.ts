/** Wiring of groups: deciders in the engine, sessions in memory, offsets in their topic. */
import { Module } from '@nestjs/common';
import type { Config } from '../config.js';
import type { Clock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import { BasicCredentials } from '../http/basic-auth.js';
import { RouteTable } from '../http/hot-routes.js';
import { ProcessLife } from '../lifecycle/process-life.js';
import { Metrics } from '../metrics/metrics.js';
import { provided } from '../ports.js';
import { topicKind } from '../topics/topic.events.js';
import type { TopicAccess } from '../topics/topic-access.js';
import { TopicAccessModule } from '../topics/topic-access.module.js';
import { TopicsDesk } from '../topics/topics-desk.js';
import { CommittedOffsets, offsetsTopic } from './committed-offsets.js';
import { ConsumeRoutes } from './consume.routes.js';
import { consumerDecider } from './consumer.decider.js';
import { consumerGroupDecider } from './consumer-group.decider.js';
import { type ConsumerGroupEvent, consumerGroupKind } from './consumer-group.events.js';
import { ConsumerSessions } from './consumer-sessions.js';
import { ConsumersRoutes } from './consumers.routes.js';
import { ConsumersDesk } from './consumers-desk.js';
import { GroupReassignment } from './group-reassignment.js';
import { GroupExpiry, OffsetRemoval } from './group-upkeep.js';
import { GroupViews } from './group-views.js';
import { GroupsAdmin } from './groups-admin.js';
import { GroupsAdminRoutes } from './groups-admin.routes.js';
import { OffsetsRoutes } from './offsets.routes.js';
import { Seeks } from './seeks.js';
import { StartPositions } from './start-positions.js';
import { TopicPartitions } from './topic-partitions.projection.js';

/** A stop waits this long for the last commits. */
const stopDeadlineMs = 10_000;

@Module({
  imports: [TopicAccessModule],
  providers: [
    {
      provide: CommittedOffsets,
      inject: [TopicsDesk],
      useFactory: async (topics: TopicAccess) =>
        CommittedOffsets.open(await topics.openInternal(offsetsTopic)),
    },
    {
      provide: GroupViews,
      inject: [
        Engine,
        TopicsDesk,
        CommittedOffsets,
        RouteTable,
        BasicCredentials,
        ProcessLife,
        Metrics,
        provided.config,
        provided.clock,
      ],
      useFactory: consumers,
    },
  ],
})
export class ConsumersModule {}

function consumers(
  engine: Engine,
  topics: TopicAccess,
  offsets: CommittedOffsets,
  table: RouteTable,
  credentials: BasicCredentials,
  life: ProcessLife,
  metrics: Metrics,
  config: Config,
  clock: Clock,
): GroupViews {
  const views: GroupViews = new GroupViews((group, view) => sessions.viewChanged(group, view));
  const viewOf = (group: string) => views.find(group);
  const tell = engine.tell.bind(engine);
  const sessions = new ConsumerSessions({
    offsets,
    clock,
    idleMs: config.consumerIdleMs,
    viewOf,
    tell,
  });
  const partitions = joinEngine(engine, sessions, views, config.groupRetentionMs);
  engine.carry('expireGroup', new GroupExpiry(clock, tell));
  engine.carry('forgetOffsets', new OffsetRemoval(offsets, clock, tell));
  const bornAt = (topic: string, partition: number) => partitions.bornAt(topic, partition);
  const starts = new StartPositions({ offsets, topics, clock, bornAt, viewOf });
  const floor = { engine, topics, views, sessions, starts, offsets, clock, credentials };
  const desk = new ConsumersDesk(floor);
  table.add(new ConsumeRoutes({ ...floor, consumers: desk }));
  table.add(new OffsetsRoutes({ ...floor, consumers: desk }));
  table.add(new ConsumersRoutes(desk, views, credentials));
  const seeks = new Seeks({ ...floor, consumers: desk });
  table.add(new GroupsAdminRoutes(new GroupsAdmin(floor), seeks, credentials));
  topics.onDropped((topic) => offsets.forgetTopic(topic));
  const reassignment = new GroupReassignment(engine, views, clock);
  engine.observe(reassignment.listener);
  life.addRecoverable({ name: 'consumer groups', recover: () => reassignment.recover() });
  life.addStoppable({
    name: 'consumer sessions',
    phase: 'commit',
    deadlineMs: stopDeadlineMs,
    stop: () => sessions.stop(),
  });
  watch(engine, metrics, views, sessions);
  return views;
}

function joinEngine(
  engine: Engine,
  sessions: ConsumerSessions,
  views: GroupViews,
  retentionMs: number,
): TopicPartitions {
  const partitions = new TopicPartitions();
  engine.follow(topicKind, partitions);
  engine.register({ decider: consumerGroupDecider(retentionMs), view: partitions, folds: [] });
  engine.register({ decider: consumerDecider, view: null, folds: [] });
  engine.carry('runConsumer', sessions);
  engine.index(views.index);
  return partitions;
}

function watch(
  engine: Engine,
  metrics: Metrics,
  views: GroupViews,
  sessions: ConsumerSessions,
): void {
  metrics.watchConsumerGroups(() => views.size);
  metrics.watchConsumerInstances(() => sessions.size);
  engine.observe((envelopes) => {
    for (const { kind, event } of envelopes) {
      if (kind === consumerGroupKind && 'generation' in (event as ConsumerGroupEvent)) {
        metrics.groupRebalanced();
      }
    }
  });
}
