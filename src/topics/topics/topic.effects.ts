/** Carries out the effects of topics: keeps, compacts and drops their logs. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { CompactionReport } from '../../../storage/compaction/compaction.js';
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import { LogCompactions } from './log-compactions.js';
import type { EndCompaction, RemoveTopic } from './topic.commands.js';
import { topicKind } from './topic.events.js';
import type { CompactPartition, DropPartitionLogs, KeepPartitionLogs } from './topic.state.js';
import { TopicLogs } from './topic-logs.js';

/** Delay before a failed compaction is repeated. */
const retryMs = 600_000;

const nothingToStop = (): void => undefined;

/** Ensures that the logs of a topic exist and begin where they should. */
@Injectable()
export class LogKeeping implements EffectCarrier<KeepPartitionLogs> {
  readonly changesNothing = true;

  constructor(private readonly logs: TopicLogs) {}

  start({ id }: EffectSource, effect: KeepPartitionLogs): () => void {
    let isWanted = true;
    this.logs.keep(id, effect, () => isWanted);
    return () => {
      isWanted = false;
    };
  }
}

/** Drops the logs of a deleted topic, and then frees its name. */
@Injectable()
export class LogRemoval implements EffectCarrier<DropPartitionLogs> {
  constructor(
    private readonly engine: Engine,
    private readonly logs: TopicLogs,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  start({ id }: EffectSource, { partitions }: DropPartitionLogs): () => void {
    this.logs.drop(id, partitions, () => {
      const at = this.clock.now();
      const command: RemoveTopic = { type: 'RemoveTopic', kind: topicKind, id, at };
      this.engine.dispatchAndForget([command]);
    });
    return nothingToStop;
  }
}

/**
 * Compacts partitions. If a pass fails, for example for lack of disk space, it is tried again
 * later.
 */
@Injectable()
export class PartitionCompaction implements EffectCarrier<CompactPartition> {
  constructor(
    private readonly engine: Engine,
    private readonly logs: TopicLogs,
    private readonly compactions: LogCompactions,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
  ) {}

  start({ id }: EffectSource, effect: CompactPartition): () => void {
    let isWanted = true;
    let cancel = nothingToStop;
    const compact = async () => {
      try {
        const report = await this.run(id, effect, () => isWanted);
        if (report !== null && isWanted) this.ended(id, effect.partition, report);
      } catch (error) {
        if (error instanceof LogClosed) return;
        const { partition } = effect;
        const message = 'compaction failed; it will be retried later';
        this.log.error({ err: error, topic: id, partition }, message);
        if (isWanted) cancel = this.clock.after(retryMs, compact);
      }
    };
    void compact();
    return () => {
      isWanted = false;
      cancel();
    };
  }

  /** Runs a compaction; null if there is nothing to compact any more. */
  private async run(
    topic: string,
    { partition, until, tombstonesBefore }: CompactPartition,
    isWanted: () => boolean,
  ): Promise<CompactionReport | null> {
    const log = (await this.logs.logs(topic))?.[partition];
    if (log === undefined || !isWanted()) return null;
    return this.compactions.run(log, { until, tombstonesBefore });
  }

  private ended(id: string, partition: number, report: CompactionReport): void {
    const { removedRecords, removedBytes, oldestTombstone } = report;
    const outcome = { removedRecords, removedBytes, oldestTombstone };
    const at = this.clock.now();
    const command: EndCompaction = {
      ...{ type: 'EndCompaction', kind: topicKind, id, at, partition },
      ...outcome,
    };
    this.engine.dispatchAndForget([command]);
  }
}
