/** Random histories of topics, consumer groups and their instances, which need each other. */
import fc from 'fast-check';
import type { Engine } from '../../../src/engine/engine.js';
import { fullGrant, type Grant } from '../../../src/http/identity/grant.js';
import type { ConsumerCommand } from '../../../src/topics/groups/consumer.commands.js';
import { consumerDecider } from '../../../src/topics/groups/consumer.decider.js';
import { consumerId } from '../../../src/topics/groups/consumer.events.js';
import type { ConsumerGroupCommand } from '../../../src/topics/groups/consumer-group.commands.js';
import { consumerGroupDecider } from '../../../src/topics/groups/consumer-group.decider.js';
import { GroupCount } from '../../../src/topics/groups/group-count.projection.js';
import { TopicPartitions } from '../../../src/topics/groups/topic-partitions.projection.js';
import { topicDecider } from '../../../src/topics/topics/topic.decider.js';
import { carriesNothing, commandsTo, historyStart } from '../../support/deciders/histories.js';
import { registerTopics, topicCommands } from '../../support/deciders/topic-histories.js';

const minute = 60_000;

/** The decider of groups, with a retention that is shorter than the histories. */
export const groupDecider = consumerGroupDecider(10 * minute);

const anyGroup = fc.constantFrom('readers', 'writers');
const anyInstance = fc.constantFrom('a', 'b', 'c/d');
const someTopics = fc.subarray(['rides', 'fares'], { minLength: 1 });
const someGrant = fc.constantFrom<Grant>(fullGrant, { permissions: 'CONSUME', topic: 'rides' });

const groupCommands = commandsTo<ConsumerGroupCommand>(
  groupDecider.kind,
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('JoinGroup' as const),
        id: anyGroup,
        instance: anyInstance,
        topics: someTopics,
        settings: fc.record({
          autoCommit: fc.boolean(),
          autoCommitIntervalMs: fc.constantFrom(0, 5000),
          offsetReset: fc.constantFrom('earliest', 'latest', 'none'),
          sessionTimeoutMs: fc.constant(120_000),
        }),
        grant: someGrant,
        strategy: fc.constantFrom(null, 'range', 'roundrobin', 'sticky'),
      }),
    },
    fc.record({
      type: fc.constant('ChangeSubscription' as const),
      id: anyGroup,
      instance: anyInstance,
      topics: someTopics,
      grant: someGrant,
    }),
    fc.record({
      type: fc.constantFrom(
        'ReassignGroup' as const,
        'DeleteGroup' as const,
        'RemoveGroup' as const,
      ),
      id: anyGroup,
    }),
    fc.record({
      type: fc.constant('ResetOffsets' as const),
      id: anyGroup,
      moves: fc.constant([{ topic: 'rides', partition: 0, from: null, to: 1 }]),
    }),
    fc.record({
      type: fc.constant('ExpireGroup' as const),
      id: anyGroup,
      emptySince: fc.constantFrom(historyStart, historyStart + minute),
    }),
  ),
);

const consumerCommands = commandsTo<ConsumerCommand>(
  consumerDecider.kind,
  fc
    .record({
      group: anyGroup,
      instance: anyInstance,
      reason: fc.constantFrom('deleted', 'idle', 'expired'),
    })
    .map(({ reason, ...place }) => ({
      type: 'CloseConsumer' as const,
      id: consumerId(place),
      reason,
    })),
);

/** Commands to topics, to their groups and to the instances of the groups. */
export const consumerHistories = fc.oneof(
  { weight: 2, arbitrary: topicCommands },
  { weight: 4, arbitrary: groupCommands },
  consumerCommands,
);

/** Registers topics, groups and instances. */
export function registerConsumers(engine: Engine): TopicPartitions {
  const partitions = new TopicPartitions();
  registerTopics(engine);
  engine.follow(topicDecider.kind, partitions);
  const count = new GroupCount(partitions, { groupsMax: 1000, consumersMax: 1000 });
  engine.register({
    decider: groupDecider,
    view: count,
    folds: [count],
  });
  engine.register({ decider: consumerDecider, view: null, folds: [] });
  engine.carry('runConsumer', carriesNothing);
  engine.carry('expireGroup', carriesNothing);
  engine.carry('forgetOffsets', carriesNothing);
  return partitions;
}
