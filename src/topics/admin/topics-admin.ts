/** Creates, alters, shows, purges and deletes topics for who administers them. */
import { Inject, Injectable } from '@nestjs/common';
import { DiskFull, LogClosed } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import { type EventListener } from '../../engine/subscribers.js';
import { type Refusal, refusalOf } from '../../http/error-shapes.js';
import type { TopicSettings } from '../settings.js';
import type { AlterTopic, CreateTopic, TopicCommand } from '../topics/topic.commands.js';
import { type TopicEvent, type Trim, topicKind } from '../topics/topic.events.js';
import { TopicLogs } from '../topics/topic-logs.js';
import { TopicsService, unknownPartition, unknownTopic } from '../topics/topics.service.js';
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

/** A command to which the topic and the time are still to be added. */
type Asked<Command> = Command extends TopicCommand ? Omit<Command, 'kind' | 'id' | 'at'> : never;

@Injectable()
export class TopicsAdmin {
  /** Who waits for a topic to be gone. */
  private readonly leaving = new Map<string, (() => void)[]>();

  constructor(
    private readonly engine: Engine,
    private readonly service: TopicsService,
    private readonly topicLogs: TopicLogs,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.config) private readonly settings: TopicSettings,
  ) {}

  /** Lets those go who waited for a topic that is gone. */
  readonly listener: EventListener<TopicEvent> = (envelopes) => {
    for (const { id, event } of envelopes) {
      if (event.type === 'TopicRemoved') this.letGo(id);
    }
  };

  /** Answered once its logs are there. */
  async create(name: string, settings: Asked<CreateTopic>): Promise<TopicDetails | Refusal> {
    return (await this.ask(name, settings)) ?? this.showOpened(name);
  }

  /** Answered once new logs are there. */
  async alter(name: string, change: Asked<AlterTopic>): Promise<TopicDetails | Refusal> {
    return (await this.ask(name, change)) ?? this.showOpened(name);
  }

  async list(): Promise<readonly TopicObject[]> {
    const topics = this.service.names().flatMap((name) => this.object(name) ?? []);
    await this.engine.durable();
    return topics;
  }

  async show(name: string): Promise<TopicDetails | Refusal> {
    await this.topicLogs.logs(name);
    const object = this.object(name);
    await this.engine.durable();
    if (object === undefined) return unknownTopic(name);
    return { ...object, offsets: this.topicLogs.present(name).map(partitionObject) };
  }

  /**
   * Records before the given offsets are gone for every reader once this is answered: where the
   * partitions begin now. Refuses offsets that have not been written yet.
   */
  async purge(name: string, trims: readonly Trim[]): Promise<readonly Purged[] | Refusal> {
    const logs = await this.topicLogs.logs(name);
    if (logs === undefined) return unknownTopic(name);
    for (const { partition, before } of trims) {
      const log = logs[partition];
      if (log === undefined) return unknownPartition(name, partition);
      if (before > log.highWatermark) {
        const message = `partition ${partition} ends at ${log.highWatermark}, before ${before}`;
        return { status: 400, message };
      }
    }
    const refusal = await this.ask(name, { type: 'TrimTopic', trims, cause: 'purge' });
    if (refusal !== null) return refusal;
    try {
      // What the topic wants now anyway; who asked does not have to wait to see it done.
      await this.topicLogs.trim(name, trims);
    } catch (error) {
      if (error instanceof LogClosed) return unknownTopic(name);
      // No reader gets the records any more; their files go when there is room to note that.
      if (!(error instanceof DiskFull)) throw error;
    }
    return trims.map(({ partition }) => {
      return { topic: name, partition, offset: logs[partition]?.startOffset ?? 0 };
    });
  }

  /** Answered once its logs are gone and its name is free, or when the server stops. */
  async delete(name: string): Promise<Refusal | null> {
    const refusal = await this.ask(name, { type: 'DeleteTopic' });
    if (refusal !== null) return refusal;
    await new Promise<void>((resolve) => {
      this.leaving.set(name, [...(this.leaving.get(name) ?? []), resolve]);
    });
    return null;
  }

  /** Answers all deletions that wait: what was decided is done at the next start. */
  stopWaiting(): void {
    for (const name of [...this.leaving.keys()]) this.letGo(name);
  }

  private letGo(name: string): void {
    const waiting = this.leaving.get(name) ?? [];
    this.leaving.delete(name);
    for (const resolve of waiting) resolve();
  }

  private async ask(id: string, asked: Asked<TopicCommand>): Promise<Refusal | null> {
    const command: TopicCommand = { ...asked, kind: topicKind, id, at: this.clock.now() };
    const [outcome] = await this.engine.dispatch([command]);
    return outcome === undefined || outcome.accepted ? null : refusalOf(outcome.rejection);
  }

  private async showOpened(name: string): Promise<TopicDetails | Refusal> {
    await this.service.opened(name, this.service.partitionsOf(name));
    return this.show(name);
  }

  private object(name: string): TopicObject | undefined {
    const topic = this.service.find(name);
    if (topic === undefined) return undefined;
    const logs = this.topicLogs.present(name);
    return topicObject(name, topic, logs, this.settings.topicRetentionMs);
  }
}
