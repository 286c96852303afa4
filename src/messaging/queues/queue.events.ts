/** The events of a queue; the id is the name of the queue. */
import type { Checkpointed, DomainEvent } from '../../engine/decider.js';

/** The settings of a queue. */
export interface QueueSettings {
  /** How many of its entries may hold a slot at once, at least 1. */
  readonly parallelism: number;
  /** The queue accepts messages but starts none. */
  readonly isPaused: boolean;
}

/** The settings of a queue that was created without any. */
export const defaultSettings: QueueSettings = { parallelism: 1, isPaused: false };

/** A request created the queue, or a message was enqueued to it. */
export interface QueueCreated extends DomainEvent, QueueSettings {
  readonly type: 'QueueCreated';
}

/** The queue has these settings from now on. */
export interface QueueConfigured extends DomainEvent, QueueSettings {
  readonly type: 'QueueConfigured';
}

/** The queue was deleted, and its pending messages were canceled. */
export interface QueueDeleted extends DomainEvent {
  readonly type: 'QueueDeleted';
}

/** All events of the stream of a queue, except checkpoints. */
export type QueueEvent = QueueCreated | QueueConfigured | QueueDeleted;

/** What an index of durable events sees of queues: also checkpoints, with their settings. */
export type IndexedQueueEvent = QueueEvent | Checkpointed<QueueSettings>;
