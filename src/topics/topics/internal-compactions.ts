/**
 * Compacts the server's own topics when they have grown. This is not recorded in the state of any
 * topic, because no request asks for it; each node compacts its own copies.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { LogCompactions } from './log-compactions.js';
import { dayMs } from './retention.policy.js';
import { TopicLogs } from './topic-logs.js';

/** How much an internal topic must grow after a compaction before the next one. */
const growth = { bytes: 8 * 1024 * 1024, records: 100_000 };

/**
 * Runs one compaction of a topic at a time; a failed one is logged and tried again at a later
 * `look`.
 */
@Injectable()
export class InternalCompactions {
  /** Internal topics that are being compacted now. */
  private readonly underWay = new Set<string>();

  constructor(
    private readonly logs: TopicLogs,
    private readonly compactions: LogCompactions,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
  ) {}

  /** Starts compactions of the topics that have grown enough. */
  look(): void {
    for (const [name, own] of this.logs.internal) void this.compact(name, own);
  }

  private async compact(name: string, partition: PartitionLog): Promise<void> {
    if (this.underWay.has(name) || !hasGrown(partition)) return;
    this.underWay.add(name);
    try {
      const range = { until: partition.highWatermark, tombstonesBefore: this.clock.now() - dayMs };
      const report = await this.compactions.run(partition, range);
      this.log.info({ topic: name, ...report }, 'an internal topic was compacted');
    } catch (error) {
      if (!(error instanceof LogClosed))
        this.log.error({ err: error, topic: name }, 'compacting an internal topic failed');
    } finally {
      this.underWay.delete(name);
    }
  }
}

/** Whether the topic has grown enough since its last compaction. */
function hasGrown({ segments, compactedUntil, highWatermark }: PartitionLog): boolean {
  const records = highWatermark - compactedUntil;
  const dirty = segments.filter(({ nextOffset }) => nextOffset > compactedUntil);
  const bytes = dirty.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return records >= growth.records || bytes >= growth.bytes;
}
