/** The entity of consumer groups, by their names. */
import { Inject, Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { provided } from '../../engine/provided.js';
import type { Refusal } from '../../grammar/result.js';
import { Topics } from '../topics/topic.entity.js';
import type { ConsumerGroupCommand, JoinGroup } from './consumer-group.commands.js';
import { consumerGroupDecider, type GroupView, joinRefusal } from './consumer-group.decider.js';
import type { ConsumerGroupEvent } from './consumer-group.events.js';
import type { ConsumerGroupLife } from './consumer-group.machine.js';
import { GroupCount, type GroupLimits } from './group-count.projection.js';
import { TopicPartitions } from './topic-partitions.projection.js';

/** The configuration of groups. */
export interface GroupSettings extends GroupLimits {
  /** How long a group without members keeps its committed offsets, in milliseconds. */
  readonly groupRetentionMs: number;
}

/** The decided state of groups; sessions act only on the durable state (`GroupViews`). */
@Injectable()
export class ConsumerGroups extends Entity<
  ConsumerGroupLife,
  ConsumerGroupCommand,
  ConsumerGroupEvent,
  GroupView
> {
  /** How many partitions each topic has, as groups assign them. */
  readonly partitions: TopicPartitions;
  private readonly view: GroupView;

  constructor(engine: Engine, topics: Topics, @Inject(provided.config) settings: GroupSettings) {
    const partitions = new TopicPartitions();
    const count = new GroupCount(partitions, settings);
    const decider = consumerGroupDecider(settings.groupRetentionMs);
    super(engine, { decider, view: count, folds: [count] });
    topics.follow(partitions);
    this.partitions = partitions;
    this.view = count;
  }

  /**
   * Why an instance could not join if the request first created its topics, with `toCome`
   * partitions; null = it could join now.
   */
  joinRefusal(command: JoinGroup, toCome: number): Refusal | null {
    return joinRefusal(command, this.stateOf(command.id), this.view, toCome);
  }
}
