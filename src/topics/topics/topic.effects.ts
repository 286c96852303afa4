/** How the effects of topics are carried out: logs are kept, compacted and dropped. */
import type { Logger } from 'pino';
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { CompactionReport } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { EffectCarrier } from '../../engine/registration.js';
import type { LogCompactions } from './log-compactions.js';
import type { EndCompaction, RemoveTopic } from './topic.commands.js';
import { topicKind } from './topic.events.js';
import type { CompactPartition, DropPartitionLogs, KeepPartitionLogs } from './topic.state.js';
import type { TopicLogs } from './topic-logs.js';

/** What the effects of topics work with. */
export interface TopicTools {
  readonly engine: Engine;
  readonly logs: TopicLogs;
  readonly compactions: LogCompactions;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A pass that failed is repeated so much later. */
const retryMs = 600_000;

export function carryTopicEffects(tools: TopicTools): void {
  const { engine, logs } = tools;
  const keep: EffectCarrier<KeepPartitionLogs> = {
    start({ id }, effect) {
      let isWanted = true;
      logs.keep(id, effect, () => isWanted);
      return () => {
        isWanted = false;
      };
    },
  };
  engine.carry('keepPartitionLogs', keep);
  engine.carry('dropPartitionLogs', dropping(tools));
  engine.carry('compactPartition', compacting(tools));
}

function dropping({ engine, logs, clock }: TopicTools): EffectCarrier<DropPartitionLogs> {
  return {
    start({ id }, { partitions }) {
      logs.drop(id, partitions, () => {
        const at = clock.now();
        const command: RemoveTopic = { type: 'RemoveTopic', kind: topicKind, id, at };
        engine.tell([command]);
      });
      return nothingToStop;
    },
  };
}

/** Where a pass fails, for want of disk space for example, another one is tried later. */
function compacting(tools: TopicTools): EffectCarrier<CompactPartition> {
  const { engine, logs, compactions, clock, log } = tools;
  return {
    start({ id }, { partition, until, tombstonesBefore }) {
      let isWanted = true;
      let cancel = nothingToStop;
      const compact = async () => {
        try {
          const partitionLog = (await logs.logs(id))?.[partition];
          if (partitionLog === undefined || !isWanted) return;
          const report = await compactions.run(partitionLog, { until, tombstonesBefore });
          if (isWanted) engine.tell([endOfCompaction(id, partition, report, clock.now())]);
        } catch (error) {
          if (error instanceof LogClosed) return;
          log.error({ err: error, topic: id, partition }, 'compacting failed; trying again later');
          if (isWanted) cancel = clock.after(retryMs, compact);
        }
      };
      void compact();
      return () => {
        isWanted = false;
        cancel();
      };
    },
  };
}

function endOfCompaction(
  id: string,
  partition: number,
  { removedRecords, removedBytes, oldestTombstone }: CompactionReport,
  at: number,
): EndCompaction {
  const outcome = { removedRecords, removedBytes, oldestTombstone };
  return { type: 'EndCompaction', kind: topicKind, id, at, partition, ...outcome };
}

const nothingToStop = (): void => undefined;
