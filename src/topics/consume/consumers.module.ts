/** Wiring of consumer groups: their routes, their recovery and their end. */
import { Module } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { type ConsumerGroupEvent, consumerGroupKind } from '../groups/consumer-group.events.js';
import { CommittedOffsets, offsetsTopic } from '../offsets/committed-offsets.js';
import { GroupRights } from '../offsets/group-rights.js';
import { Consumers } from '../sessions/consumers.js';
import type { TopicSettings } from '../settings.js';
import { TopicAccessModule } from '../topics/topic-access.module.js';
import { TopicsService } from '../topics/topics.service.js';
import { ConsumeRoutes } from './consume.routes.js';
import { ConsumersRoutes } from './consumers.routes.js';
import { GroupsAdminController } from './groups-admin.controller.js';
import { OffsetsRoutes } from './offsets.routes.js';

/** A stop waits this long for the last commits. */
const stopDeadlineMs = 10_000;

@Module({
  imports: [TopicAccessModule],
  controllers: [GroupsAdminController],
  providers: [
    ConsumeRoutes,
    OffsetsRoutes,
    ConsumersRoutes,
    {
      provide: GroupRights,
      inject: [BasicCredentials, Consumers],
      useFactory: (credentials: BasicCredentials, { views, offsets }: Consumers) =>
        new GroupRights(credentials, views, offsets),
    },
    {
      provide: CommittedOffsets,
      inject: [TopicsService, Store],
      useFactory: async (topics: TopicsService, store: Store) =>
        CommittedOffsets.open(await topics.openInternal(offsetsTopic), (wake) =>
          store.whenRoom(wake),
        ),
    },
    {
      provide: Consumers,
      inject: [Engine, TopicsService, CommittedOffsets, provided.config, provided.clock],
      useFactory: (
        engine: Engine,
        topics: TopicsService,
        offsets: CommittedOffsets,
        limits: TopicSettings,
        clock: Clock,
      ) => {
        const { consumerIdleMs: sessionTimeoutMs, groupRetentionMs: retentionMs } = limits;
        const times = { sessionTimeoutMs, retentionMs };
        return new Consumers({ engine, topics, offsets, clock, limits, ...times });
      },
    },
  ],
})
export class ConsumersModule {
  constructor(
    table: RouteTable,
    consume: ConsumeRoutes,
    offsets: OffsetsRoutes,
    instances: ConsumersRoutes,
    { reassignment, sessions, views }: Consumers,
    engine: Engine,
    life: ProcessLife,
    registry: Registry,
  ) {
    table.add(...consume.routes, ...offsets.routes, ...instances.routes);
    table.beforeClose(() => sessions.dismiss());
    life.addRecoverable({ name: 'consumer groups', recover: () => reassignment.recover() });
    life.addStoppable({
      name: 'consumer sessions',
      phase: 'commit',
      deadlineMs: stopDeadlineMs,
      stop: () => sessions.stop(),
    });
    gauge(registry, 'stepwell_consumer_groups', 'Consumer groups.', () => views.size);
    const active = 'Consumer instances that are active.';
    gauge(registry, 'stepwell_consumer_instances', active, () => sessions.size);
    const rebalances = rebalancesOf(registry);
    engine.observe<ConsumerGroupEvent>([consumerGroupKind], (envelopes) => {
      for (const { event } of envelopes) if ('generation' in event) rebalances.inc();
    });
  }
}

function rebalancesOf(registry: Registry): Counter {
  return new Counter({
    name: 'stepwell_rebalances_total',
    help: 'Generations of consumer groups: changes of members or of what they own.',
    registers: [registry],
  });
}
