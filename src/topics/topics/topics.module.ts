/** Wiring of topics: their existence in the engine, and their logs in the store. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { WallClockWatch } from '../../engine/history/wall-clock-watch.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
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

/** How long a stop waits for the keeper to notice. */
const stopDeadlineMs = 1000;

/** One watch for all users; the keeper calls it at least once a minute, as it requires. */
const wallClock = {
  provide: WallClockWatch,
  inject: [provided.clock],
  useFactory: (clock: Clock) => new WallClockWatch(clock),
};

const effects = [LogKeeping, LogRemoval, PartitionCompaction];
const shared = [Topics, TopicLogs, SharedReads, TopicsService];
const compactions = [LogCompactions, InternalCompactions];

/** Exports what produce, reads, groups and subscriptions need of topics. */
@Module({
  providers: [wallClock, ...shared, ...effects, ...compactions, RetentionKeeper, TopicMetrics],
  exports: [WallClockWatch, ...shared, ...compactions],
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
