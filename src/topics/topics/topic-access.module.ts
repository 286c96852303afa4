/** Wiring of the topics' life: their existence in the engine, their logs in the store. */
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';
import { Failures } from '../../http/failures.js';
import type { TopicSettings } from '../settings.js';
import { damageRefusal } from './damaged-records.js';
import { LogCompactions } from './log-compactions.js';
import { PartitionCount } from './partition-count.projection.js';
import { RetentionKeeper } from './retention-keeper.js';
import { topicDecider } from './topic.decider.js';
import { carryTopicEffects } from './topic.effects.js';
import { TopicLogs } from './topic-logs.js';
import { TopicsService } from './topics.service.js';

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
      provide: TopicsService,
      inject: [
        Engine,
        TopicLogs,
        LogCompactions,
        Registry,
        provided.config,
        provided.clock,
        provided.log,
      ],
      useFactory: topicsDesk,
    },
    {
      provide: RetentionKeeper,
      inject: [
        Engine,
        TopicLogs,
        LogCompactions,
        ProcessLife,
        Registry,
        provided.config,
        provided.clock,
        provided.log,
      ],
      useFactory: retentionKeeper,
    },
  ],
  exports: [TopicLogs, TopicsService],
})
export class TopicAccessModule {
  constructor(failures: Failures) {
    failures.explain(damageRefusal);
  }
}

function topicsDesk(
  engine: Engine,
  logs: TopicLogs,
  compactions: LogCompactions,
  registry: Registry,
  config: TopicSettings,
  clock: Clock,
  log: Logger,
): TopicsService {
  const count = new PartitionCount(config);
  engine.register({ decider: topicDecider, view: count, folds: [count] });
  carryTopicEffects({ engine, logs, compactions, clock, log });
  gauge(registry, 'stepwell_topic_partitions', 'Partitions of all topics.', () => count.sum);
  const bytes = 'Bytes that the records of topics take.';
  gauge(registry, 'stepwell_topic_bytes', bytes, () => logs.byteLength);
  const damaged = 'Ranges of offsets of topics that are damaged and cannot be read.';
  gauge(registry, 'stepwell_topic_damaged_ranges', damaged, () => logs.damagedRanges);
  const { topicPartitions: partitions, topicAutoCreate: autoCreate } = config;
  return new TopicsService(engine, logs, clock, { partitions, autoCreate });
}

function retentionKeeper(
  engine: Engine,
  logs: TopicLogs,
  compactions: LogCompactions,
  life: ProcessLife,
  registry: Registry,
  config: TopicSettings,
  clock: Clock,
  log: Logger,
): RetentionKeeper {
  const { topicRetentionMs: retentionMs } = config;
  const keeper = new RetentionKeeper({ engine, logs, compactions, clock, log, retentionMs });
  const help = '1 while no record is too old, because the clock has jumped ahead.';
  gauge(registry, 'stepwell_retention_paused', help, () => Number(keeper.isPaused));
  life.addRecoverable({ name: 'retention', recover: async () => keeper.start() });
  life.addStoppable({
    name: 'retention',
    phase: 'doors',
    deadlineMs: stopDeadlineMs,
    stop: () => keeper.stop(),
  });
  return keeper;
}
