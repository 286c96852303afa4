/** Readers commit offsets by themselves: taken exactly as they say, from those who may say it. */
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

/** What a reader that commits says of itself; null = it does not say. */
export interface CommitTerms {
  /** The generation that it has joined. */
  readonly generation: number | null;
  /** The id of the last answer that it has. */
  readonly received: string | null;
}

/**
 * 409 where the instance is not in the generation that it names, or does not own what it commits.
 */
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
   * Commits `positions` for an instance's group; none means all that the instance was given in
   * full. Returns why not, or null once it is durable.
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
    // Nothing waits between the look at who owns what and this.
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

  /** Why an instance that is not in the group's generation, or owns not all, commits nothing. */
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

/** A position below what is left is sound: retention may pass a reader that has it still. */
function outside({ topic, partition, offset }: TopicPosition, log: PartitionLog): Refusal {
  const { startOffset: earliest, highWatermark: latest } = log;
  return new Refusal(
    'out_of_range',
    `${topic}/${partition} takes offsets from 0 to ${latest}, its end, and not ${offset}`,
    undefined,
    { topic, partition, earliest, latest },
  );
}
