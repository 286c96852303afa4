/** Random commands to topics, and topics registered as in the product. */
import fc from 'fast-check';
import type { Engine } from '../../../src/engine/engine.js';
import { PartitionCount } from '../../../src/topics/topics/partition-count.projection.js';
import type { TopicCommand } from '../../../src/topics/topics/topic.commands.js';
import { topicDecider } from '../../../src/topics/topics/topic.decider.js';
import { carriesNothing, commandsTo, historyStart } from './histories.js';

const anyTopic = fc.constantFrom('rides', 'fares');
const anyPartition = fc.integer({ min: 0, max: 3 });
const retention = fc.constantFrom(null, -1, 0, 60_000);

/** Everything that topics are sent. */
export const topicCommands = commandsTo<TopicCommand>(
  topicDecider.kind,
  fc.oneof(
    fc.record({
      type: fc.constant('EnsureTopic' as const),
      id: fc.constantFrom('rides', 'fares', '__taken', 'no/name'),
      partitions: fc.integer({ min: 1, max: 5 }),
    }),
    fc.record({
      type: fc.constant('CreateTopic' as const),
      id: anyTopic,
      partitions: fc.constantFrom(1, 2, 1025),
      retentionMs: retention,
      retentionBytes: fc.constantFrom(-1, 1000),
      cleanupPolicy: fc.constantFrom('delete' as const, 'compact' as const),
    }),
    fc.record({
      type: fc.constant('AlterTopic' as const),
      id: anyTopic,
      changes: fc.record(
        { partitions: fc.integer({ min: 1, max: 5 }), retentionMs: retention },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      type: fc.constant('TrimTopic' as const),
      id: anyTopic,
      trims: fc.array(fc.record({ partition: anyPartition, before: fc.nat(30) }), { maxLength: 2 }),
      cause: fc.constantFrom('time' as const, 'size' as const, 'purge' as const),
    }),
    fc.record({
      type: fc.constant('BeginCompaction' as const),
      id: anyTopic,
      partition: anyPartition,
      until: fc.nat(30),
      tombstonesBefore: fc.constant(historyStart),
    }),
    fc.record({
      type: fc.constant('EndCompaction' as const),
      id: anyTopic,
      partition: anyPartition,
      removedRecords: fc.constant(3),
      removedBytes: fc.constant(300),
      oldestTombstone: fc.constantFrom(null, historyStart),
    }),
    fc.record({
      type: fc.constantFrom('DeleteTopic' as const, 'RemoveTopic' as const),
      id: anyTopic,
    }),
  ),
);

/** Registers topics, under limits that no history reaches. */
export function registerTopics(engine: Engine): PartitionCount {
  const count = new PartitionCount({ topicsMax: 1000, partitionsMax: 10_000 });
  engine.register({ decider: topicDecider, view: count, folds: [count] });
  engine.carry('keepPartitionLogs', carriesNothing);
  engine.carry('dropPartitionLogs', carriesNothing);
  engine.carry('compactPartition', carriesNothing);
  return count;
}
