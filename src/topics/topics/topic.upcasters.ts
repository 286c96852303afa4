/** How events written by older versions are read; events on disk are never rewritten. */
import { type TopicCreated, unlimited } from './topic.events.js';

/** `TopicCreated`, version 1 to 2: settings that version 1 did not have get the defaults. */
export function liftCreatedToVersion2(fields: Pick<TopicCreated, 'type' | 'partitions'>) {
  const created: TopicCreated = {
    ...fields,
    retentionMs: null,
    retentionBytes: unlimited,
    cleanupPolicy: 'delete',
  };
  return created;
}
