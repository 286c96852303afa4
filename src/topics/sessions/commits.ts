/**
 * Explicit commits by readers: the offsets are stored exactly as given, if the reader may commit
 * them.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';
import { GroupViews } from '../groups/group-views.js';
import { CommittedOffsets } from '../offsets/committed-offsets.js';
import type { TopicPosition } from '../records/topic-partition.js';
import { TopicLogs } from '../topics/topic-logs.js';
import type { ConsumerSession } from './consumer-session.js';
import { ConsumerSessions } from './consumer-sessions.js';
import { ConsumersService } from './consumers.service.js';

/** What a committing reader states about itself; null = not stated. */
export interface CommitTerms {
  /** The generation that the reader has joined. */
  readonly generation: number | null;
  /** The id of the last answer that the reader received. */
  readonly received: string | null;
}

/** 409 if the instance is not in the generation that it names, or does not own what it commits. */
@Injectable()
export class Commits {
  constructor(
    private readonly consumers: ConsumersService,
    private readonly sessions: ConsumerSessions,
    private readonly views: GroupViews,
    private readonly offsets: CommittedOffsets,
    private readonly topicLogs: TopicLogs,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * Commits `positions` for an instance's group; an empty list means everything that the instance
   * was given completely. Returns a refusal, or null once the commit is durable.
   */
  async commit(
    place: ConsumerPlace,
    positions: readonly TopicPosition[],
    { generation, received }: CommitTerms,
  ): Promise<Refusal | null> {
    const known = this.consumers.find(place);
    if (known instanceof Refusal) return known;
    const logs = await this.topicLogs.partitions(positions);
    if (logs instanceof Refusal) return logs;
    const session = this.consumers.find(place);
    if (session instanceof Refusal) return session;
    const stale = this.staleness(session, positions, generation);
    if (stale !== null) return stale;
    for (const [index, log] of logs.entries()) {
      const position = positions[index];
      if (position !== undefined && position.offset > log.highWatermark) {
        return outside(position, log);
      }
    }
    // There is no `await` between the check of the owners and this.
    session.callBegan();
    if (positions.length === 0) {
      session.acknowledge(received);
      this.sessions.commitWritten(session);
    }
    this.offsets.commit(place.group, positions, this.clock.now());
    for (const position of positions) session.positions.storedByReader(position);
    session.callEnded();
    await this.offsets.durable();
    return null;
  }

  /**
   * Why an instance cannot commit: it is not in the group's generation, or another instance owns
   * one of the partitions.
   */
  private staleness(
    { place: { group, instance }, generation }: ConsumerSession,
    positions: readonly TopicPosition[],
    believed: number | null,
  ): Refusal | null {
    if (believed !== null && believed !== generation) {
      const message = `group ${group} is in generation ${generation}, not in ${believed}`;
      return new Refusal('conflict', message);
    }
    const owners = this.views.find(group)?.owners;
    for (const { topic, partition } of positions) {
      const owner = owners?.get(topic)?.[partition] ?? instance;
      if (owner === instance) continue;
      const message = `partition ${partition} of ${topic} is owned by instance ${owner}`;
      return new Refusal('conflict', message);
    }
    return null;
  }
}

/**
 * The refusal of a position beyond the end. A position below the start is valid, because retention
 * may overtake a reader.
 */
function outside({ topic, partition, offset }: TopicPosition, log: PartitionLog): Refusal {
  const { startOffset: earliest, highWatermark: latest } = log;
  return new Refusal(
    'out_of_range',
    `${topic}/${partition} takes offsets from 0 to ${latest}, its end, and not ${offset}`,
    undefined,
    { topic, partition, earliest, latest },
  );
}
