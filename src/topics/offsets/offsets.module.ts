/** Wiring of committed offsets, which are kept until the group or the topic is deleted. */
import { Module } from '@nestjs/common';
import { Store } from '../../../storage/store.js';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { GroupReassignment } from '../groups/group-reassignment.js';
import { GroupsModule } from '../groups/groups.module.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsModule } from '../topics/topics.module.js';
import { CommittedOffsets, offsetsTopic } from './committed-offsets.js';
import { GroupRights } from './group-rights.js';
import { GroupExpiry, OffsetRemoval } from './group-upkeep.js';

const committedOffsets = {
  provide: CommittedOffsets,
  inject: [TopicLogs, Store],
  useFactory: async (logs: TopicLogs, store: Store) =>
    new CommittedOffsets(await logs.openInternal(offsetsTopic), (wake) =>
      store.freeSpace.whenRoom(wake),
    ),
};

/**
 * Committed offsets are read before requests are answered, and deleted with their topic or group.
 */
@Module({
  imports: [TopicsModule, GroupsModule],
  providers: [committedOffsets, GroupRights, GroupExpiry, OffsetRemoval],
  exports: [CommittedOffsets, GroupRights],
})
export class OffsetsModule {
  constructor(
    engine: Engine,
    life: ProcessLife,
    logs: TopicLogs,
    offsets: CommittedOffsets,
    reassignment: GroupReassignment,
    expiry: GroupExpiry,
    removal: OffsetRemoval,
  ) {
    engine.carry('expireGroup', expiry);
    engine.carry('forgetOffsets', removal);
    life.addRecoverable({ name: 'committed offsets', recover: () => offsets.recover() });
    logs.onDropped(async (topic) => {
      // The order matters: a session commits its position in a partition when it loses the
      // partition.
      await reassignment.release(topic);
      await offsets.forgetTopic(topic);
    });
  }
}
