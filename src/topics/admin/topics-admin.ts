/** Creates, alters, shows, purges and deletes topics for administrators. */
import { Inject, Injectable } from '@nestjs/common';
import { DiskFull, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import type { PastMoment } from '../../engine/history/past-moment.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { EventListener } from '../../engine/registration.js';
import { Refusal } from '../../grammar/result.js';
import type { TopicSettings } from '../settings.js';
import type { AlterTopic, CreateTopic, TopicCommand } from '../topics/topic.commands.js';
import { Topics } from '../topics/topic.entity.js';
import { type TopicEvent, type Trim, topicKind } from '../topics/topic.events.js';
import { TopicLogs, unknownPartition, unknownTopic } from '../topics/topic-logs.js';
import { TopicsService } from '../topics/topics.service.js';
import {
  partitionObject,
  type TopicDetails,
  type TopicObject,
  topicObject,
} from './topic-object.js';

/** Where a partition begins after a purge. */
export interface Purged {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** A command without the topic and the time, which are added later. */
type Unaddressed<Command> = Command extends TopicCommand
  ? Omit<Command, 'kind' | 'id' | 'at'>
  : never;

/**
 * Used by its controller. Returns refusals as values: 404 if there is no such topic, and the
 * refusals of the topic's decider.
 */
@Injectable()
export class TopicsAdmin {
  /** Deletions that wait until their topic is gone. */
  private readonly leaving = new Map<string, (() => void)[]>();

  constructor(
    private readonly topics: Topics,
    private readonly service: TopicsService,
    private readonly topicLogs: TopicLogs,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.config) private readonly config: Pick<TopicSettings, 'topicRetentionMs'>,
    @Inject(provided.past) private readonly past: PastMoment | null,
  ) {}

  /** Resolves the waiting deletions of topics that are gone. */
  readonly listener: EventListener<TopicEvent> = (envelopes) => {
    for (const { id, event } of envelopes) {
      if (event.type === 'TopicRemoved') this.release(id);
    }
  };

  /** Creates a topic; resolves once its logs are open. */
  async create(
    name: string,
    settings: Unaddressed<CreateTopic>,
    by: Principal | null,
  ): Promise<TopicDetails | Refusal> {
    return (await this.carryOut(name, settings, by)) ?? this.showOpened(name);
  }

  /** Alters a topic; resolves once any new logs are open. */
  async alter(
    name: string,
    change: Unaddressed<AlterTopic>,
    by: Principal | null,
  ): Promise<TopicDetails | Refusal> {
    return (await this.carryOut(name, change, by)) ?? this.showOpened(name);
  }

  /** All topics by name, without the content of their partitions. */
  list(): Promise<readonly TopicObject[]> {
    return this.topics.shown(() => this.topics.names().flatMap((name) => this.object(name) ?? []));
  }

  /** A topic with the content of its partitions; waits for logs that are being created. */
  async show(name: string): Promise<TopicDetails | Refusal> {
    await this.topicLogs.logs(name);
    const object = await this.topics.shown(() => this.object(name));
    if (object === undefined) return unknownTopic(name);
    return { ...object, offsets: this.logsOf(name)?.map(partitionObject) ?? null };
  }

  /**
   * Removes the records before the given offsets: once this resolves, no reader can get them.
   * Returns where the partitions begin now. Refuses offsets that have not been written yet.
   */
  async purge(
    name: string,
    trims: readonly Trim[],
    by: Principal | null,
  ): Promise<readonly Purged[] | Refusal> {
    const logs = await this.topicLogs.logs(name);
    if (logs === undefined) return unknownTopic(name);
    for (const { partition, before } of trims) {
      const log = logs[partition];
      if (log === undefined) return unknownPartition(name, partition);
      if (before > log.highWatermark) {
        const message = `partition ${partition} ends at ${log.highWatermark}, before ${before}`;
        return new Refusal('invalid', message);
      }
    }
    const refusal = await this.carryOut(name, { type: 'TrimTopic', trims, cause: 'purge' }, by);
    if (refusal !== null) return refusal;
    try {
      // The topic's effect does the same; doing it here makes the answer wait for it.
      await this.topicLogs.trim(name, trims);
    } catch (error) {
      if (error instanceof LogClosed) return unknownTopic(name);
      // No reader can get the records any more; their files are removed once there is space to
      // record that.
      if (!(error instanceof DiskFull)) throw error;
    }
    return trims.map(({ partition }) => {
      return { topic: name, partition, offset: logs[partition]?.startOffset ?? 0 };
    });
  }

  /**
   * Deletes a topic; resolves once its logs are gone and its name is free, or when the server
   * stops.
   */
  async delete(name: string, by: Principal | null): Promise<Refusal | null> {
    const refusal = await this.carryOut(name, { type: 'DeleteTopic' }, by);
    if (refusal !== null) return refusal;
    await new Promise<void>((resolve) => {
      this.leaving.set(name, [...(this.leaving.get(name) ?? []), resolve]);
    });
    return null;
  }

  /**
   * Resolves all waiting deletions: they are already decided, and are completed at the next start.
   */
  stopWaiting(): void {
    for (const name of [...this.leaving.keys()]) this.release(name);
  }

  private release(name: string): void {
    const waiting = this.leaving.get(name) ?? [];
    this.leaving.delete(name);
    for (const resolve of waiting) resolve();
  }

  private async carryOut(
    id: string,
    unaddressed: Unaddressed<TopicCommand>,
    by: Principal | null,
  ): Promise<Refusal | null> {
    const command: TopicCommand = { ...unaddressed, kind: topicKind, id, at: this.clock.now() };
    const outcome = await this.topics.ask(command, by);
    return outcome.ok ? null : outcome;
  }

  private async showOpened(name: string): Promise<TopicDetails | Refusal> {
    await this.service.opened(name, this.topics.partitionsOf(name));
    return this.show(name);
  }

  private object(name: string): TopicObject | undefined {
    const topic = this.topics.existing(name);
    if (topic === undefined) return undefined;
    return topicObject(name, topic, this.logsOf(name), this.config.topicRetentionMs);
  }

  /** The existing logs; null for a past moment, for which their content is unknown. */
  private logsOf(name: string) {
    return this.past === null ? this.topicLogs.present(name) : null;
  }
}
