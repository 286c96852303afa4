/** Where a group starts to read: at the stored offset, or else as the instance's settings say. */
import { Inject, Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import type { OffsetReset } from '../groups/consumer.events.js';
import { ConsumerGroups } from '../groups/consumer-group.entity.js';
import { GroupViews } from '../groups/group-views.js';
import { CommittedOffsets } from '../offsets/committed-offsets.js';
import type { TopicPartition, TopicPosition } from '../records/topic-partition.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsService } from '../topics/topics.service.js';
import type { ConsumerSession } from './consumer-session.js';
import type { OwnedPartition } from './positions.js';

/** A partition and its end when a request arrived. */
export interface FoundPartition extends TopicPartition {
  readonly log: PartitionLog;
  readonly highWatermark: number;
}

/**
 * One instance for the server. The start of a group is stored, so that a reset policy applies only
 * once.
 */
@Injectable()
export class StartPositions {
  constructor(
    private readonly offsets: CommittedOffsets,
    private readonly topics: TopicsService,
    private readonly logs: TopicLogs,
    private readonly groups: ConsumerGroups,
    private readonly views: GroupViews,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * Returns where the logs of the topics end now. Missing topics are created if that is automatic;
   * otherwise they are joined later. Before a topic is created, `judge` returns why the request
   * will be refused, and then none is created.
   */
  async arrive(
    topics: readonly string[],
    by: Principal | null,
    judge: (partitionsToCome: number) => Promise<Refusal | null>,
  ): Promise<readonly FoundPartition[] | Refusal> {
    // Read before any `await`, so that records that arrive meanwhile come after the offset of
    // `latest`.
    const arrivals = topics.flatMap((topic) => endsOf(topic, this.logs.present(topic)));
    const others = topics.filter((topic) => this.logs.present(topic).length === 0);
    if (others.length === 0) return arrivals;
    const toCome = this.topics.partitionsToCome(others);
    const refusal = (await judge(toCome)) ?? (await this.topics.ensure(others, by));
    if (refusal !== null) return refusal;
    for (const topic of others) {
      const logs = await this.topics.forConsume(topic, by);
      if (!(logs instanceof Refusal)) arrivals.push(...endsOf(topic, logs));
      else if (logs.code !== 'not_found') return logs;
    }
    return arrivals;
  }

  /**
   * Stores where a group starts in partitions without a stored offset: where the reset policy
   * pointed when the request arrived, before it waited for a join. An instance that acquires such a
   * partition later starts there too. Partitions that were created after the group's first
   * subscription to the topic are excluded: they are read from the beginning.
   */
  keep(session: ConsumerSession, arrivals: readonly FoundPartition[]): void {
    const { group } = session.place;
    const { offsetReset } = session.settings;
    if (offsetReset === 'none') return;
    const isEarliest = offsetReset === 'earliest';
    const fresh = arrivals
      .filter(
        (each) => this.offsets.find(group, each) === undefined && !this.isYounger(group, each),
      )
      .map(({ topic, partition, log, highWatermark }) => {
        return { topic, partition, offset: isEarliest ? log.startOffset : highWatermark };
      });
    this.keepStarts(session, fresh);
  }

  /**
   * Finds where to start in newly acquired partitions; returns the partitions without a stored
   * offset if the policy is to refuse (`none`).
   */
  async resolve(session: ConsumerSession): Promise<readonly TopicPartition[]> {
    const undecided: TopicPartition[] = [];
    for (const own of session.positions.all) {
      if (own.position >= 0) continue;
      const log = (await this.logs.logs(own.topic))?.[own.partition];
      // The log is not open yet, or it is gone and its partition is not removed from the session
      // yet.
      if (log === undefined || !session.positions.owns(own)) continue;
      own.log = log;
      if (!this.begin(session, own, log)) undecided.push(own);
    }
    return undecided;
  }

  /**
   * Resolves when the session's start positions are durable: before that, nothing that it reads may
   * be shown. Rejects with `DiskFull` while there is no space for them; what was handed out is then
   * handed out again.
   */
  async begun(session: ConsumerSession): Promise<void> {
    try {
      await session.begun.catch(() => {
        session.begun = this.offsets.durable();
        return session.begun;
      });
    } catch (error) {
      session.positions.rewind();
      throw error;
    }
  }

  /**
   * Resets a position that is outside the log, for example trimmed. False = the policy is `none`.
   */
  reset(session: ConsumerSession, own: OwnedPartition, log: PartitionLog): boolean {
    const offset = offsetOf(session.settings.offsetReset, log);
    if (offset === null) {
      own.position = -1;
      return false;
    }
    own.begin(offset);
    this.keepStarts(session, [{ topic: own.topic, partition: own.partition, offset }]);
    return true;
  }

  private begin(session: ConsumerSession, own: OwnedPartition, log: PartitionLog): boolean {
    const { group } = session.place;
    const sought = session.soughtOffsets.get(log);
    session.soughtOffsets.delete(log);
    if (sought !== undefined) {
      const { topic, partition } = own;
      this.keepStarts(session, [{ topic, partition, offset: sought }]);
    }
    const stored = this.offsets.find(group, own);
    const start = stored?.start ?? stored?.committed ?? null;
    if (start !== null && start >= log.startOffset && start <= log.highWatermark) {
      own.begin(start);
      return true;
    }
    const isNew = stored === undefined && this.isYounger(group, own);
    if (isNew && session.settings.offsetReset !== 'none') {
      own.begin(log.startOffset);
      return true;
    }
    return this.reset(session, own, log);
  }

  private keepStarts(session: ConsumerSession, starts: readonly TopicPosition[]): void {
    if (starts.length === 0) return;
    this.offsets.keepStart(session.place.group, starts, this.clock.now());
    session.begun = this.offsets.durable();
  }

  private isYounger(group: string, { topic, partition }: TopicPartition): boolean {
    const first = this.views.find(group)?.firstSubscribed.get(topic);
    return first !== undefined && this.groups.partitions.bornAt(topic, partition) > first;
  }
}

function endsOf(topic: string, logs: readonly PartitionLog[]): readonly FoundPartition[] {
  return logs.map((log, partition) => {
    return { topic, partition, log, highWatermark: log.highWatermark };
  });
}

/** The offset that a reset policy gives in a log now; null = none. */
function offsetOf(policy: OffsetReset, log: PartitionLog): number | null {
  if (policy === 'none') return null;
  return policy === 'earliest' ? log.startOffset : log.highWatermark;
}
