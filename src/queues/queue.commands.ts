/** What may be asked of a queue; its name is the id. */
import type { Command } from '../engine/decider.js';

/** The stream kind of queues. */
export const queueKind = 'queue';

/** Make sure that the queue of an enqueued message exists; a new one has parallelism 1. */
export interface EnsureQueue extends Command {
  readonly type: 'EnsureQueue';
}
