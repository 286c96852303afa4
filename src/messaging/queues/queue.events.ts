/** What can have happened to a queue; its name is the id. */
import type { Checkpointed, DomainEvent } from '../../engine/decider.js';

/** How a queue works. */
export interface QueueSettings {
  /** How many of its entries may be under way at once, at least 1. */
  readonly parallelism: number;
  /** It takes messages and starts none. */
  readonly isPaused: boolean;
}

/** The settings of a queue that was made without any. */
export const defaultSettings: QueueSettings = { parallelism: 1, isPaused: false };

/** A request created it, or a message was enqueued to it. */
export interface QueueCreated extends DomainEvent, QueueSettings {
  readonly type: 'QueueCreated';
}

/** It works like this from now on. */
export interface QueueConfigured extends DomainEvent, QueueSettings {
  readonly type: 'QueueConfigured';
}

/** It is gone, and its pending messages were canceled. */
export interface QueueDeleted extends DomainEvent {
  readonly type: 'QueueDeleted';
}

/** All events of a queue's stream, but for its checkpoints. */
export type QueueEvent = QueueCreated | QueueConfigured | QueueDeleted;

/** What an index of durable events sees of queues: also how one works at a checkpoint. */
export type IndexedQueueEvent = QueueEvent | Checkpointed<QueueSettings>;
