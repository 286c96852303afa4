/** Shows, resets and deletes groups for operators (topics.md 5.2). */
import { setImmediate as nextTick } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Clock } from '../../engine/clock.js';
import type { PastMoment } from '../../engine/history/past-moment.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import type { DeleteGroup, ResetOffsets } from '../groups/consumer-group.commands.js';
import { ConsumerGroups } from '../groups/consumer-group.entity.js';
import { consumerGroupKind } from '../groups/consumer-group.events.js';
import { assignmentsIn, type ConsumerGroupState } from '../groups/consumer-group.state.js';
import { GroupViews } from '../groups/group-views.js';
import { CommittedOffsets } from '../offsets/committed-offsets.js';
import { offsetOfTarget } from '../offsets/offset-target.js';
import type { TopicPartition } from '../records/topic-partition.js';
import { ConsumerSessions } from '../sessions/consumer-sessions.js';
import { TopicLogs, unknownPartition, unknownTopic } from '../topics/topic-logs.js';
import type { OffsetResetRequest } from './groups-admin.request.js';

/** Groups and partitions that are examined before other work gets a turn. */
const itemsPerTick = 1000;

/** The progress of a group in one partition; null = unknown. */
export interface PartitionProgress extends TopicPartition {
  readonly owner: string | null;
  readonly committed: number | null;
  /** Where the owner reads next. */
  readonly position: number | null;
  readonly endOffset: number | null;
  /** Number of records that the group has not committed. */
  readonly lag: number | null;
}

/** Positions are not events, so they are unknown for a past moment (ADR 47). */
const unknownProgress = { committed: null, position: null, endOffset: null, lag: null };

/** The reset of one partition; a `from` of -1 = nothing was committed. */
export interface ResetOffset extends TopicPartition {
  readonly from: number;
  readonly to: number;
}

/**
 * Used by its controller. Returns refusals as values: 404 if there is no such group or topic, 409
 * for a group that has members.
 */
@Injectable()
export class GroupsAdmin {
  constructor(
    private readonly groups: ConsumerGroups,
    private readonly views: GroupViews,
    private readonly sessions: ConsumerSessions,
    private readonly offsets: CommittedOffsets,
    private readonly topicLogs: TopicLogs,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.past) private readonly past: PastMoment | null,
  ) {}

  /** Summaries of all groups, in the order of their creation. */
  async list() {
    const groups = [];
    let looks = 0;
    for (const name of [...this.views.names()]) {
      const view = this.views.find(name);
      if (view === undefined) continue;
      const lags = await this.lagsOf(name);
      groups.push(this.summaryOf(name, view, lags));
      looks += 1 + lags.length;
      if (looks < itemsPerTick) continue;
      looks = 0;
      await nextTick();
    }
    return groups;
  }

  /** A group with its members and its progress. */
  async show(name: string) {
    const view = this.views.find(name);
    if (view === undefined) return unknownGroup(name);
    const owned = assignmentsIn(view);
    const members = [...view.members].map(({ instance, topics }) => {
      const session = this.sessions.find({ group: name, instance });
      const lastSeenAt = session?.lastSeenAt ?? null;
      const isCalling = this.past === null ? (session?.isCalling ?? false) : null;
      const assignments = owned.get(instance) ?? [];
      return { instance, topics, assignments, lastSeenAt, isCalling, ...session?.settings };
    });
    const lags = await this.lagsOf(name);
    const partitions = await this.progressOf(name, view);
    return { ...this.summaryOf(name, view, lags), members, partitions };
  }

  /** Deletes a group; returns why it cannot be deleted, or null. */
  async remove(id: string, by: Principal | null): Promise<Refusal | null> {
    const at = this.clock.now();
    const command: DeleteGroup = { type: 'DeleteGroup', kind: consumerGroupKind, id, at };
    const outcome = await this.groups.ask(command, by);
    return outcome.ok ? null : outcome;
  }

  /**
   * Commits other offsets for a group, limited to the range of the log; with `dryRun` only returns
   * them.
   */
  async reset(
    group: string,
    options: OffsetResetRequest,
    by: Principal | null,
  ): Promise<readonly ResetOffset[] | Refusal> {
    if (this.views.find(group) === undefined) return unknownGroup(group);
    const { topic, partition, to, dryRun } = options;
    const logs = await this.topicLogs.logs(topic);
    if (logs === undefined) return unknownTopic(topic);
    if (partition !== undefined && logs[partition] === undefined) {
      return unknownPartition(topic, partition);
    }
    const moves: ResetOffset[] = [];
    for (const [index, log] of logs.entries()) {
      if (partition !== undefined && partition !== index) continue;
      const from = this.offsets.find(group, { topic, partition: index })?.committed ?? -1;
      const offset = within(log, await offsetOfTarget(log, to));
      moves.push({ topic, partition: index, from, to: offset });
    }
    if (dryRun === true) return moves;
    // Decided and committed in one tick, so that no instance can join in between.
    const isEmpty = this.groups.stateOf(group).hasTag('resettable');
    const asked = this.groups.ask(this.resetting(group, moves), by);
    if (isEmpty) {
      const positions = moves.map((move) => ({ ...placeOf(move), offset: move.to }));
      this.offsets.commit(group, positions, this.clock.now());
    }
    const outcome = await asked;
    if (!outcome.ok) return outcome;
    await this.offsets.durable();
    return moves;
  }

  private resetting(id: string, moves: readonly ResetOffset[]): ResetOffsets {
    const at = this.clock.now();
    const stored = moves.map(({ topic, partition, from, to }) => {
      return { topic, partition, from: from < 0 ? null : from, to };
    });
    return { type: 'ResetOffsets', kind: consumerGroupKind, id, at, moves: stored };
  }

  private summaryOf(name: string, view: ConsumerGroupState, lags: readonly number[]) {
    const { phase, generation, strategy, emptySince, members } = view;
    const lag = this.past === null ? lags.reduce((sum, each) => sum + each, 0) : null;
    return { name, phase, generation, strategy, emptySince, memberCount: members.size, lag };
  }

  /** The lag of a group in each partition with a known position. */
  private async lagsOf(group: string): Promise<number[]> {
    const lags: number[] = [];
    if (this.past !== null) return lags;
    for (const topic of [...this.offsets.topicsOf(group)]) {
      const logs = await this.topicLogs.logs(topic);
      for (const [partition, { committed, start }] of this.offsets.ofTopic(group, topic)) {
        const done = committed ?? start;
        const end = logs?.[partition]?.highWatermark;
        if (done !== null && end !== undefined) lags.push(Math.max(0, end - done));
      }
    }
    return lags;
  }

  private async progressOf(
    group: string,
    { owners }: ConsumerGroupState,
  ): Promise<PartitionProgress[]> {
    const places = new Map<string, TopicPartition>();
    for (const [topic, list] of owners) {
      for (const partition of list.keys())
        places.set(`${topic}/${partition}`, { topic, partition });
    }
    for (const place of this.past === null ? this.offsets.of(group) : []) {
      places.set(`${place.topic}/${place.partition}`, place);
    }
    const progress = [];
    for (const place of places.values()) {
      const owner = owners.get(place.topic)?.[place.partition] ?? null;
      progress.push(await this.partitionProgress(group, place, owner));
    }
    return progress.sort((left, right) =>
      left.topic === right.topic ? left.partition - right.partition : byName(left, right),
    );
  }

  private async partitionProgress(
    group: string,
    place: TopicPartition,
    owner: string | null,
  ): Promise<PartitionProgress> {
    if (this.past !== null) return { ...place, owner, ...unknownProgress };
    const stored = this.offsets.find(group, place);
    const session = owner === null ? undefined : this.sessions.find({ group, instance: owner });
    const read = session?.positions.find(place)?.position ?? -1;
    const endOffset =
      (await this.topicLogs.logs(place.topic))?.[place.partition]?.highWatermark ?? null;
    const committed = stored?.committed ?? null;
    const done = committed ?? stored?.start ?? null;
    const lag = done === null || endOffset === null ? null : Math.max(0, endOffset - done);
    return { ...place, owner, committed, position: read < 0 ? null : read, endOffset, lag };
  }
}

function within({ startOffset, highWatermark }: PartitionLog, offset: number): number {
  return Math.min(Math.max(offset, startOffset), highWatermark);
}

function placeOf({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition };
}

function byName(left: TopicPartition, right: TopicPartition): number {
  return left.topic < right.topic ? -1 : 1;
}

function unknownGroup(name: string): Refusal {
  return new Refusal('not_found', `group ${name} not found`);
}
