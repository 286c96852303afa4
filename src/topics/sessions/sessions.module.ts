/** Wiring of what active instances have: sessions, positions and committed offsets. */
import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Store } from '../../../storage/store.js';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { GroupViews } from '../groups/group-views.js';
import { GroupsModule } from '../groups/groups.module.js';
import { CommittedOffsets, offsetsTopic } from '../offsets/committed-offsets.js';
import { GroupRights } from '../offsets/group-rights.js';
import { GroupExpiry, OffsetRemoval } from '../offsets/group-upkeep.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsModule } from '../topics/topics.module.js';
import { Commits } from './commits.js';
import { ConsumerSessions } from './consumer-sessions.js';
import { ConsumersService } from './consumers.service.js';
import { GroupsAdmin } from './groups-admin.js';
import { InstanceRemoval } from './instance-removal.js';
import { Seeks } from './seeks.js';
import { StartPositions } from './start-positions.js';

/** A stop waits this long for the last commits. */
const stopDeadlineMs = 10_000;

const committedOffsets = {
  provide: CommittedOffsets,
  inject: [TopicLogs, Store],
  useFactory: async (logs: TopicLogs, store: Store) =>
    CommittedOffsets.open(await logs.openInternal(offsetsTopic), (wake) => store.whenRoom(wake)),
};
const positions = [ConsumerSessions, StartPositions, Commits, Seeks];
const shared = [...positions, ConsumersService, GroupsAdmin, GroupRights];

@Module({
  imports: [TopicsModule, GroupsModule],
  providers: [committedOffsets, ...shared, InstanceRemoval, GroupExpiry, OffsetRemoval],
  exports: [CommittedOffsets, ...shared],
})
export class SessionsModule {
  constructor(
    engine: Engine,
    views: GroupViews,
    sessions: ConsumerSessions,
    expiry: GroupExpiry,
    removal: OffsetRemoval,
    logs: TopicLogs,
    offsets: CommittedOffsets,
    life: ProcessLife,
    registry: Registry,
  ) {
    engine.carry('runConsumer', sessions);
    engine.carry('expireGroup', expiry);
    engine.carry('forgetOffsets', removal);
    views.onChanged((group, view) => sessions.viewChanged(group, view));
    logs.onDropped((topic) => offsets.forgetTopic(topic));
    life.addStoppable({
      name: 'consumer sessions',
      phase: 'commit',
      deadlineMs: stopDeadlineMs,
      stop: () => sessions.stop(),
    });
    const active = 'Consumer instances that are active.';
    gauge(registry, 'stepwell_consumer_instances', active, () => sessions.size);
  }
}
