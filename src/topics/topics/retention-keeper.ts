/**
 * Looks at every topic once a minute and decides what is kept no longer and what is compacted.
 * Decisions are commands, and what they decide is in the journal before anything is deleted.
 */
import type { Logger } from 'pino';
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import { dispatchAll } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { LogCompactions } from './log-compactions.js';
import {
  compactionDue,
  type DueTrim,
  dayMs,
  type RetentionLimits,
  trimDue,
} from './retention.policy.js';
import type { BeginCompaction, TopicCommand, TrimTopic } from './topic.commands.js';
import { type Trim, topicKind, unlimited } from './topic.events.js';
import { compactionOf, type Topic, type TopicState } from './topic.state.js';
import type { TopicLogs } from './topic-logs.js';
import { WallClockWatch } from './wall-clock-watch.js';

const lookEveryMs = 60_000;

/** Topics looked at before others get a turn. */
const topicsPerTick = 16;

/** An internal topic is compacted when so much came since the last time. */
const internalGrowth = { bytes: 8 * 1024 * 1024, records: 100_000 };

/** What the keeper works with. */
export interface KeeperTools {
  readonly engine: Engine;
  readonly logs: TopicLogs;
  readonly compactions: LogCompactions;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of topics that do not say. */
  readonly retentionMs: number;
}

export class RetentionKeeper {
  private readonly wallClock: WallClockWatch;
  /** Internal topics whose compaction is under way. */
  private readonly underWay = new Set<string>();
  private cancel: () => void = () => undefined;
  private isStopped = false;
  private wasBelieved = true;

  constructor(private readonly tools: KeeperTools) {
    this.wallClock = new WallClockWatch(tools.clock);
  }

  /** The first look is a minute away. */
  start(): void {
    if (this.isStopped) return;
    this.cancel = this.tools.clock.after(lookEveryMs, () => {
      const again = () => this.start();
      // The engine reports a defect to its watch.
      this.look().then(again, again);
    });
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  /** Whether time-based retention waits because the clock jumped. */
  get isPaused(): boolean {
    return !this.wasBelieved;
  }

  /** One look at everything; settles when what it decided is durable. */
  async look(): Promise<void> {
    const { engine, clock, log } = this.tools;
    const isBelieved = this.wallClock.isBelieved();
    if (this.wasBelieved && !isBelieved) {
      log.warn({ now: clock.now() }, 'the clock jumped ahead: no record is too old for an hour');
    }
    this.wasBelieved = isBelieved;
    for (const [name, own] of this.tools.logs.internal) void this.keepInternal(name, own);
    for await (const { id, actor } of engine.actors(topicKind).walk(topicsPerTick)) {
      if (this.isStopped) return;
      const topic = actor.state as TopicState;
      if (topic === null || topic.isDeleting) continue;
      const isCompacted = topic.cleanupPolicy === 'compact';
      await this.dispatch(isCompacted ? this.compactions(id, topic) : this.trims(id, topic));
    }
  }

  /** A topic may have more partitions than a turn takes commands. */
  private async dispatch(commands: readonly TopicCommand[]): Promise<void> {
    await dispatchAll(this.tools.engine, commands);
  }

  private limitsOf({ retentionMs, retentionBytes }: Topic): RetentionLimits {
    if (!this.wasBelieved) return { retentionMs: unlimited, retentionBytes };
    return { retentionMs: retentionMs ?? this.tools.retentionMs, retentionBytes };
  }

  private trims(id: string, topic: Topic): TrimTopic[] {
    const { logs, clock } = this.tools;
    const limits = this.limitsOf(topic);
    const at = clock.now();
    const due: Record<DueTrim['cause'], Trim[]> = { time: [], size: [] };
    logs.present(id).forEach((log, partition) => {
      const trim = trimDue(log.segments, limits, at);
      if (trim === null || trim.before <= log.startOffset) return;
      due[trim.cause].push({ partition, before: trim.before });
    });
    return (['time', 'size'] as const)
      .map((cause): TrimTopic => {
        return { type: 'TrimTopic', kind: topicKind, id, at, cause, trims: due[cause] };
      })
      .filter(({ trims }) => trims.length > 0);
  }

  private compactions(id: string, topic: Topic): BeginCompaction[] {
    const { logs, clock } = this.tools;
    const at = clock.now();
    const due: BeginCompaction[] = [];
    for (const [partition, log] of logs.present(id).entries()) {
      const last = compactionOf(topic, partition);
      if (last.underWay !== null) continue;
      const until = compactionDue(log.segments, { ...last, cleanUntil: log.compactedUntil }, at);
      if (until === null) continue;
      const order = { partition, until, tombstonesBefore: at - dayMs };
      due.push({ type: 'BeginCompaction', kind: topicKind, id, at, ...order });
    }
    return due;
  }

  /** For the server's own topics: no request compacts them, so no topic remembers it. */
  private async keepInternal(name: string, partition: PartitionLog): Promise<void> {
    const { compactions, clock, log } = this.tools;
    if (this.underWay.has(name) || !hasGrown(partition)) return;
    this.underWay.add(name);
    try {
      const range = { until: partition.highWatermark, tombstonesBefore: clock.now() - dayMs };
      const report = await compactions.run(partition, range);
      log.info({ topic: name, ...report }, 'compacted');
    } catch (error) {
      if (!(error instanceof LogClosed)) log.error({ err: error, topic: name }, 'not compacted');
    } finally {
      this.underWay.delete(name);
    }
  }
}

/** Whether so much came since the last compaction that another one is worth it. */
function hasGrown({ segments, compactedUntil, highWatermark }: PartitionLog): boolean {
  const records = highWatermark - compactedUntil;
  const dirty = segments.filter(({ nextOffset }) => nextOffset > compactedUntil);
  const bytes = dirty.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return records >= internalGrowth.records || bytes >= internalGrowth.bytes;
}
