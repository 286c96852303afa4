/**
 * Compacts the logs of a follower. A compacted log has the same offsets and the latest record of
 * each key, wherever the compaction runs, so each node compacts its own logs by the owner's rule.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { InternalCompactions } from '../../topics/topics/internal-compactions.js';
import { LogCompactions } from '../../topics/topics/log-compactions.js';
import { compactionDue, dayMs } from '../../topics/topics/retention.policy.js';
import { Topics } from '../../topics/topics/topic.entity.js';
import { topicLogName } from '../../topics/topics/topic-log-name.js';

const lookEveryMs = 60_000;

/** How many topics are examined before other work gets a turn. */
const topicsPerTick = 16;

/** After a compaction has failed, it is retried this much later. */
const retryMs = 600_000;

/** The last compaction by this process; times in Unix ms. */
interface OwnCompaction {
  readonly begunAt: number;
  /** When the oldest tombstone that it kept was written; null if there is none. */
  readonly oldestTombstone: number | null;
}

/**
 * The duties of a follower call this once a minute. A compaction that fails is logged, and its log
 * is skipped for a while.
 */
@Injectable()
export class FollowerCompactions {
  private readonly first: OwnCompaction;
  private readonly last = new WeakMap<PartitionLog, OwnCompaction>();
  /** Logs that are being compacted now, or failed a while ago. */
  private readonly skipped = new WeakSet<PartitionLog>();
  private nextLookAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Store,
    private readonly topics: Topics,
    private readonly compactions: LogCompactions,
    private readonly internal: InternalCompactions,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
  ) {
    this.first = { begunAt: clock.now(), oldestTombstone: null };
  }

  /** Calls `look` if the last call was at least a minute ago. */
  async lookIfDue(): Promise<void> {
    const now = this.clock.monotonic();
    if (now < this.nextLookAt) return;
    this.nextLookAt = now + lookEveryMs;
    await this.look();
  }

  /**
   * Starts the compactions that are worthwhile. Memory must reflect what the logs hold, and neither
   * may change until this settles: otherwise a log of the same name may belong to another topic.
   */
  async look(): Promise<void> {
    this.internal.look();
    for await (const { id, actor } of this.topics.actors.walk(topicsPerTick)) {
      const topic = actor.state;
      if (topic === null || topic.isDeleting || topic.cleanupPolicy !== 'compact') continue;
      for (let partition = 0; partition < topic.partitions; partition += 1) {
        const log = this.store.log(topicLogName(id, partition));
        if (log !== undefined && !this.skipped.has(log)) this.lookAt(log);
      }
    }
  }

  private lookAt(log: PartitionLog): void {
    const at = this.clock.now();
    const last = this.last.get(log) ?? this.first;
    const until = compactionDue(log.segments, { ...last, cleanUntil: log.compactedUntil }, at);
    if (until !== null) void this.compact(log, until, at);
  }

  private async compact(log: PartitionLog, until: number, at: number): Promise<void> {
    this.skipped.add(log);
    try {
      const range = { until, tombstonesBefore: at - dayMs };
      const { oldestTombstone } = await this.compactions.run(log, range);
      this.last.set(log, { begunAt: at, oldestTombstone });
      this.skipped.delete(log);
    } catch (error) {
      if (error instanceof LogClosed) return;
      this.log.error({ err: error, log: log.name }, 'compaction failed; it will be retried later');
      this.clock.after(retryMs, () => void this.skipped.delete(log));
    }
  }
}
