/** What can have happened to a topic. Its records are not events: they are its partition logs. */
import type { DomainEvent } from '../engine/decider.js';

/** The stream kind of topics; the stream's id is the topic's name. */
export const topicKind = 'topic';

/** The topic exists from now on, with this many partitions. */
export interface TopicCreated extends DomainEvent {
  readonly type: 'TopicCreated';
  readonly partitions: number;
}

export type TopicEvent = TopicCreated;
