/** Wiring of the topics' life: their existence in the engine, their logs in the store. */
import { Module } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { Failures } from '../../http/failures.js';
import { damageRefusal } from './damaged-records.js';
import { InternalCompactions } from './internal-compactions.js';
import { LogCompactions } from './log-compactions.js';
import { RetentionKeeper } from './retention-keeper.js';
import { SharedReads } from './shared-reads.js';
import { LogKeeping, LogRemoval, PartitionCompaction } from './topic.effects.js';
import { Topics } from './topic.entity.js';
import { TopicMetrics } from './topic.metrics.js';
import { TopicLogs } from './topic-logs.js';
import { TopicsService } from './topics.service.js';

/** A stop waits so long for the keeper to notice. */
const stopDeadlineMs = 1000;

const effects = [LogKeeping, LogRemoval, PartitionCompaction];
const shared = [Topics, TopicLogs, SharedReads, TopicsService];
const compactions = [LogCompactions, InternalCompactions];

/** It exports what produces, reads, groups and subscriptions need of topics. */
@Module({
  providers: [...shared, ...effects, ...compactions, RetentionKeeper, TopicMetrics],
  exports: [...shared, ...compactions],
})
export class TopicsModule {
  constructor(
    engine: Engine,
    keeping: LogKeeping,
    removal: LogRemoval,
    compaction: PartitionCompaction,
    keeper: RetentionKeeper,
    life: ProcessLife,
    failures: Failures,
  ) {
    engine.carry('keepPartitionLogs', keeping);
    engine.carry('dropPartitionLogs', removal);
    engine.carry('compactPartition', compaction);
    life.addRecoverable({ name: 'retention', changes: true, recover: async () => keeper.start() });
    life.addStoppable({
      name: 'retention',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => keeper.stop(),
    });
    failures.explain(damageRefusal);
  }
}
