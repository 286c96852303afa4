/** Wiring of topics: their existence in the engine, their records in the store. */
import { Module } from '@nestjs/common';
import { Store } from '../../storage/store.js';
import type { Config } from '../config.js';
import type { Clock } from '../engine/clock.js';
import { Engine } from '../engine/engine.js';
import { durabilityOf } from '../http/durability.js';
import { RouteTable } from '../http/hot-routes.js';
import { Intake } from '../lifecycle/intake.js';
import { provided } from '../ports.js';
import { FetchRoutes } from './fetch.routes.js';
import { ProduceRoutes } from './produce.routes.js';
import { RecordAppender } from './record-appender.js';
import { topicDecider } from './topic.decider.js';
import { TopicLogs } from './topic-logs.js';
import { TopicsDesk } from './topics-desk.js';

@Module({
  providers: [
    {
      provide: TopicLogs,
      inject: [RouteTable, Engine, Store, Intake, provided.config, provided.clock, provided.fatal],
      useFactory: topics,
    },
  ],
})
export class TopicsModule {}

function topics(
  table: RouteTable,
  engine: Engine,
  store: Store,
  intake: Intake,
  config: Config,
  clock: Clock,
  fatal: (error: unknown) => void,
): TopicLogs {
  const logs = new TopicLogs(store, fatal);
  engine.register({ decider: topicDecider, view: null, folds: [] });
  engine.carry('keepPartitionLogs', logs);
  const desk = new TopicsDesk(engine, logs, clock, {
    partitions: config.topicPartitions,
    autoCreate: config.topicAutoCreate,
  });
  table.add(new ProduceRoutes(new RecordAppender(), desk, intake, durabilityOf(config)));
  table.add(new FetchRoutes(desk, engine, clock));
  return logs;
}
