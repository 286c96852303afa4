/** The commands of a queue; its name is the id. */
import type { Command } from '../../engine/decider.js';

/** The stream kind of queues. */
export const queueKind = 'queue';

/** Make sure that the queue of an enqueued message exists; a new one has parallelism 1. */
export interface EnsureQueue extends Command {
  readonly type: 'EnsureQueue';
}

/** Create a queue or change it; null = leave it as it is (a new one: 1, not paused). */
export interface UpsertQueue extends Command {
  readonly type: 'UpsertQueue';
  /** How many of its entries may be under way at once. */
  readonly parallelism: number | null;
  readonly isPaused: boolean | null;
}

/** Start nothing from this queue until it is resumed; what runs may end. */
export interface PauseQueue extends Command {
  readonly type: 'PauseQueue';
}

/** Start its messages again; no event where it is not paused, 404 where there is none. */
export interface ResumeQueue extends Command {
  readonly type: 'ResumeQueue';
}

/** Let go of a queue; there may be none. The sender of this command cancels its messages. */
export interface DeleteQueue extends Command {
  readonly type: 'DeleteQueue';
}

/** From `/v2/queues`, and `EnsureQueue` from each publish that names a queue. */
export type QueueCommand = EnsureQueue | UpsertQueue | PauseQueue | ResumeQueue | DeleteQueue;
