/** Wiring of the sessions of active instances and of their positions. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { GroupViews } from '../groups/group-views.js';
import { GroupsModule } from '../groups/groups.module.js';
import { OffsetsModule } from '../offsets/offsets.module.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsModule } from '../topics/topics.module.js';
import { Commits } from './commits.js';
import { ConsumerSessions } from './consumer-sessions.js';
import { ConsumersService } from './consumers.service.js';
import { GroupLagMetrics } from './group-lag.metrics.js';
import { InstanceRemoval } from './instance-removal.js';
import { Seeks } from './seeks.js';
import { StartPositions } from './start-positions.js';

/** How long a stop waits for the last commits. */
const stopDeadlineMs = 10_000;

const positions = [ConsumerSessions, StartPositions, Commits, Seeks];
const shared = [...positions, ConsumersService];

/**
 * A stop commits what readers have received, in the phase `commit`: after the doors, before the
 * store.
 */
@Module({
  imports: [TopicsModule, GroupsModule, OffsetsModule],
  providers: [...shared, InstanceRemoval, GroupLagMetrics],
  exports: shared,
})
export class SessionsModule {
  constructor(
    engine: Engine,
    views: GroupViews,
    logs: TopicLogs,
    sessions: ConsumerSessions,
    life: ProcessLife,
    registry: Registry,
  ) {
    engine.carry('runConsumer', sessions);
    views.onChanged((group, view) => sessions.viewChanged(group, view));
    logs.onPartitions((topic) => sessions.partitionsCame(topic));
    life.addStoppable({
      name: 'consumer sessions',
      phase: 'commit',
      deadlineMs: stopDeadlineMs,
      stop: () => sessions.stop(),
    });
    const active = 'Active consumer instances.';
    gauge(registry, 'stepwell_consumer_instances', active, () => sessions.size);
  }
}
