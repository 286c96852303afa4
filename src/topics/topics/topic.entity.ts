/** Topics as features hold them, by their names. */
import { Inject, Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { provided } from '../../engine/provided.js';
import { PartitionCount, type TopicLimits } from './partition-count.projection.js';
import type { TopicCommand } from './topic.commands.js';
import { type TopicView, topicDecider } from './topic.decider.js';
import type { TopicEvent } from './topic.events.js';
import type { Topic, TopicState } from './topic.state.js';

/** A topic is there from the turn that creates it; its logs follow (`TopicLogs`). */
@Injectable()
export class Topics extends Entity<TopicState, TopicCommand, TopicEvent, TopicView> {
  /** How many topics and partitions there are. */
  readonly count: PartitionCount;

  constructor(engine: Engine, @Inject(provided.config) limits: TopicLimits) {
    const count = new PartitionCount(limits);
    super(engine, { decider: topicDecider, view: count, folds: [count] });
    this.count = count;
  }

  /** The topic as it is by now; undefined = there is none, or it is being deleted. */
  existing(name: string): Topic | undefined {
    const state = this.stateOf(name);
    return state === null || state.isDeleting ? undefined : state;
  }

  /**
   * How many partitions a topic has by now; 0 = it does not exist (any more). While it grows there
   * are fewer logs for a moment.
   */
  partitionsOf(name: string): number {
    return this.existing(name)?.partitions ?? 0;
  }

  /** Every topic's name, in order; the server's own topics are not topics. */
  names(): string[] {
    return [...this.actors.ids()].filter((name) => this.existing(name) !== undefined).sort();
  }
}
