/** The commands of a queue; the id is the name of the queue. */
import type { Command } from '../../engine/decider.js';

/** The stream kind of queues. */
export const queueKind = 'queue';

/** Ensure that the queue of an enqueued message exists; a new queue has parallelism 1. */
export interface EnsureQueue extends Command {
  readonly type: 'EnsureQueue';
}

/** Create or change a queue; null = keep the value (for a new queue: 1, not paused). */
export interface UpsertQueue extends Command {
  readonly type: 'UpsertQueue';
  /** How many of its entries may hold a slot at once. */
  readonly parallelism: number | null;
  readonly isPaused: boolean | null;
}

/** Start nothing from this queue until it is resumed; attempts in flight may end. */
export interface PauseQueue extends Command {
  readonly type: 'PauseQueue';
}

/** Start its messages again; no event if it is not paused, 404 if it does not exist. */
export interface ResumeQueue extends Command {
  readonly type: 'ResumeQueue';
}

/** Delete a queue; 404 if it does not exist. The sender of this command cancels its messages. */
export interface DeleteQueue extends Command {
  readonly type: 'DeleteQueue';
}

/** All commands: from `/v2/queues`, and `EnsureQueue` for each publish that names a queue. */
export type QueueCommand = EnsureQueue | UpsertQueue | PauseQueue | ResumeQueue | DeleteQueue;
