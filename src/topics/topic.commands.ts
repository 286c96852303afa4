/** What may be asked of a topic's existence. */
import type { Command } from '../engine/decider.js';

/** Make the topic exist; one that exists already is left as it is. */
export interface CreateTopic extends Command {
  readonly type: 'CreateTopic';
  readonly partitions: number;
}
