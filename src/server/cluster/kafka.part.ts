/** The client of Kafka: loaded by nodes whose shared log is there, and by no other server. */

import type { CommitLog } from '../../cluster/commit-log.js';
import { openKafkaLog } from '../../cluster/kafka/kafka-log.js';

/** Rejects where the topic may lose what it acknowledges, or the client is not installed. */
export function openTopic(url: string): Promise<CommitLog> {
  return openKafkaLog(url);
}
