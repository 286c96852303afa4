/**
 * Checks every topic once a minute, and decides what to delete and what to compact. The decisions
 * are commands, whose events are in the journal before anything is deleted.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { dispatchAll } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { WallClockWatch } from '../../engine/history/wall-clock-watch.js';
import { RepeatedWork } from '../../engine/lifecycle/repeated-work.js';
import { provided } from '../../engine/provided.js';
import type { TopicSettings } from '../settings.js';
import { InternalCompactions } from './internal-compactions.js';
import {
  compactionDue,
  type DueTrim,
  dayMs,
  type RetentionLimits,
  trimDue,
} from './retention.policy.js';
import { AgingSegments } from './sealed-part.js';
import type { BeginCompaction, TrimTopic } from './topic.commands.js';
import { Topics } from './topic.entity.js';
import { type Trim, topicKind, unlimited } from './topic.events.js';
import { compactionOf, type Topic } from './topic.state.js';
import { TopicLogs } from './topic-logs.js';

const lookEveryMs = 60_000;

/** Topics checked per tick, so that other work can run in between. */
const topicsPerTick = 16;

/** One instance for the server; it does not run on a follower. */
@Injectable()
export class RetentionKeeper {
  private readonly looks: RepeatedWork;
  private readonly aging = new AgingSegments();
  private wasTrusted = true;

  constructor(
    private readonly engine: Engine,
    private readonly topics: Topics,
    private readonly logs: TopicLogs,
    private readonly internal: InternalCompactions,
    private readonly wallClock: WallClockWatch,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
    @Inject(provided.config) private readonly config: Pick<TopicSettings, 'topicRetentionMs'>,
  ) {
    // The engine reports defects itself.
    this.looks = new RepeatedWork(clock, lookEveryMs, () => this.look());
  }

  /** Starts the checks; the first one is a minute later. */
  start(): void {
    this.looks.start();
  }

  /** Starts no further check; a running check ends after the current topic. */
  stop(): void {
    void this.looks.stop();
  }

  /** Whether time-based retention waits because the clock jumped. */
  get isPaused(): boolean {
    return !this.wasTrusted;
  }

  /** Checks all topics once; resolves when its decisions are durable. */
  async look(): Promise<void> {
    const isTrusted = this.wallClock.isTrusted();
    if (this.wasTrusted && !isTrusted) {
      const now = this.clock.now();
      this.log.warn({ now }, 'the clock jumped ahead: retention by time is paused for an hour');
    }
    this.wasTrusted = isTrusted;
    this.internal.look();
    for await (const { id, actor } of this.topics.actors.walk(topicsPerTick)) {
      if (this.looks.isStopped) return;
      const topic = actor.state;
      if (topic === null || topic.isDeleting) continue;
      await this.sealOld(id, topic);
      const isCompacted = topic.cleanupPolicy === 'compact';
      // A topic may have more partitions than one turn accepts commands.
      if (isCompacted) await dispatchAll(this.engine, this.compact(id, topic));
      else await dispatchAll(this.engine, this.trim(id, topic));
    }
  }

  /** Records stay in a growing segment for as long as they are kept, and a day for compaction. */
  private async sealOld(id: string, topic: Topic): Promise<void> {
    const isCompacted = topic.cleanupPolicy === 'compact';
    const ageMs = isCompacted && this.wasTrusted ? dayMs : this.limitsOf(topic).retentionMs;
    if (ageMs === unlimited) return;
    const before = this.clock.now() - ageMs;
    for (const log of this.logs.present(id)) await this.aging.seal(log, before);
  }

  private limitsOf({ retentionMs, retentionBytes }: Topic): RetentionLimits {
    if (!this.wasTrusted) return { retentionMs: unlimited, retentionBytes };
    return { retentionMs: retentionMs ?? this.config.topicRetentionMs, retentionBytes };
  }

  private trim(id: string, topic: Topic): TrimTopic[] {
    const limits = this.limitsOf(topic);
    const at = this.clock.now();
    const due: Record<DueTrim['cause'], Trim[]> = { time: [], size: [] };
    this.logs.present(id).forEach((log, partition) => {
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

  private compact(id: string, topic: Topic): BeginCompaction[] {
    const at = this.clock.now();
    const due: BeginCompaction[] = [];
    for (const [partition, log] of this.logs.present(id).entries()) {
      const last = compactionOf(topic, partition);
      if (last.underWay !== null) continue;
      const until = compactionDue(log.segments, { ...last, cleanUntil: log.compactedUntil }, at);
      if (until === null) continue;
      const range = { until, tombstonesBefore: at - dayMs };
      due.push({ type: 'BeginCompaction', kind: topicKind, id, at, partition, ...range });
    }
    return due;
  }
}
