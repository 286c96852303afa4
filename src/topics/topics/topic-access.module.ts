/** Wiring of the topics' life: their existence in the engine, their logs in the store. */
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { Failures } from '../../http/failures.js';
import { BasicCredentials } from '../../http/identity/basic-auth.js';
import { Intake } from '../../http/intake.js';
import { RouteTable } from '../../http/routes/hot-routes.js';
import type { Config } from '../../server/configuration/config.js';
import { Metrics } from '../../server/metrics/metrics.js';
import { provided } from '../../server/ports.js';
import { TopicsAdmin } from '../admin/topics-admin.js';
import { TopicsAdminRoutes } from '../admin/topics-admin.routes.js';
import { damageRefusal } from './damaged-records.js';
import { LogCompactions } from './log-compactions.js';
import { PartitionCount } from './partition-count.projection.js';
import { RetentionKeeper } from './retention-keeper.js';
import { topicDecider } from './topic.decider.js';
import { carryTopicEffects } from './topic.effects.js';
import { TopicLogs } from './topic-logs.js';
import { TopicsDesk } from './topics-desk.js';

/** A stop waits so long for the keeper to notice. */
const stopDeadlineMs = 1000;

@Module({
  providers: [
    {
      provide: TopicLogs,
      inject: [Store, provided.fatal],
      useFactory: (store: Store, fatal: (error: unknown) => void) => new TopicLogs(store, fatal),
    },
    LogCompactions,
    {
      provide: TopicsDesk,
      inject: [
        Engine,
        TopicLogs,
        LogCompactions,
        Metrics,
        provided.config,
        provided.clock,
        provided.log,
      ],
      useFactory: topicsDesk,
    },
    {
      provide: TopicsAdmin,
      inject: [Engine, TopicsDesk, TopicLogs, provided.config, provided.clock],
      useFactory: topicsAdmin,
    },
    {
      provide: RetentionKeeper,
      inject: [
        Engine,
        TopicLogs,
        LogCompactions,
        ProcessLife,
        Metrics,
        provided.config,
        provided.clock,
        provided.log,
      ],
      useFactory: retentionKeeper,
    },
    {
      provide: TopicsAdminRoutes,
      inject: [TopicsAdmin, BasicCredentials, Intake],
      useFactory: (admin: TopicsAdmin, basic: BasicCredentials, intake: Intake) =>
        new TopicsAdminRoutes(admin, basic, intake),
    },
  ],
  exports: [TopicsDesk],
})
export class TopicAccessModule {
  constructor(table: RouteTable, failures: Failures, routes: TopicsAdminRoutes) {
    failures.explain(damageRefusal);
    table.add(routes);
  }
}

function topicsDesk(
  engine: Engine,
  logs: TopicLogs,
  compactions: LogCompactions,
  metrics: Metrics,
  config: Config,
  clock: Clock,
  log: Logger,
): TopicsDesk {
  const count = new PartitionCount(config);
  engine.register({ decider: topicDecider, view: count, folds: [count] });
  carryTopicEffects({ engine, logs, compactions, clock, log });
  metrics.watchTopicPartitions(() => count.sum);
  metrics.watchTopicBytes(() => logs.byteLength);
  metrics.watchDamagedRanges(() => logs.damagedRanges);
  const { topicPartitions: partitions, topicAutoCreate: autoCreate } = config;
  return new TopicsDesk(engine, logs, clock, { partitions, autoCreate });
}

/** After the desk, which has the engine know what a topic is. */
function topicsAdmin(
  engine: Engine,
  desk: TopicsDesk,
  logs: TopicLogs,
  config: Config,
  clock: Clock,
): TopicsAdmin {
  const { topicPartitions: partitions, topicRetentionMs: retentionMs } = config;
  const admin = new TopicsAdmin(engine, desk, logs, clock, { partitions, retentionMs });
  engine.observe(admin.listener);
  return admin;
}

function retentionKeeper(
  engine: Engine,
  logs: TopicLogs,
  compactions: LogCompactions,
  life: ProcessLife,
  metrics: Metrics,
  config: Config,
  clock: Clock,
  log: Logger,
): RetentionKeeper {
  const { topicRetentionMs: retentionMs } = config;
  const keeper = new RetentionKeeper({ engine, logs, compactions, clock, log, retentionMs });
  metrics.watchRetentionPause(() => keeper.isPaused);
  life.addRecoverable({ name: 'retention', recover: async () => keeper.start() });
  life.addStoppable({
    name: 'retention',
    phase: 'doors',
    deadlineMs: stopDeadlineMs,
    stop: () => keeper.stop(),
  });
  return keeper;
}
