/** How events that older versions wrote are read; what is on disk is never rewritten. */
import { type TopicCreated, unlimited } from './topic.events.js';

/** `TopicCreated`, version 1 to 2: what version 1 did not know is as it was configured. */
export function liftCreatedToVersion2(fields: Pick<TopicCreated, 'type' | 'partitions'>) {
  const created: TopicCreated = {
    ...fields,
    retentionMs: null,
    retentionBytes: unlimited,
    cleanupPolicy: 'delete',
  };
  return created;
}
