/** The entity of topics, by their names. */
import { Inject, Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { provided } from '../../engine/provided.js';
import { PartitionCount, type TopicLimits } from './partition-count.projection.js';
import type { TopicCommand } from './topic.commands.js';
import { type TopicView, topicDecider } from './topic.decider.js';
import type { TopicEvent } from './topic.events.js';
import type { Topic, TopicState } from './topic.state.js';

/** A topic exists from the turn that creates it; its logs are opened later (`TopicLogs`). */
@Injectable()
export class Topics extends Entity<TopicState, TopicCommand, TopicEvent, TopicView> {
  /** How many topics and partitions there are. */
  readonly count: PartitionCount;

  constructor(engine: Engine, @Inject(provided.config) limits: TopicLimits) {
    const count = new PartitionCount(limits);
    super(engine, { decider: topicDecider, view: count, folds: [count] });
    this.count = count;
  }

  /** The topic in its current state; undefined = it does not exist, or is being deleted. */
  existing(name: string): Topic | undefined {
    const state = this.stateOf(name);
    return state === null || state.isDeleting ? undefined : state;
  }

  /**
   * The current number of partitions of a topic; 0 = it does not exist (any more). While a topic
   * grows, it has fewer logs for a moment.
   */
  partitionsOf(name: string): number {
    return this.existing(name)?.partitions ?? 0;
  }

  /** The sorted names of all topics, without the server's own. */
  names(): string[] {
    return [...this.actors.ids()].filter((name) => this.existing(name) !== undefined).sort();
  }
}
