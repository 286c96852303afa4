/** The Kafka client: loaded only by nodes whose shared log is a Kafka topic. */

import type { CommitLog } from '../../cluster/commit-log.js';
import { openKafkaLog } from '../../cluster/kafka/kafka-log.js';

/** Rejects if the topic may lose acknowledged records, or the client is not installed. */
export function openTopic(url: string): Promise<CommitLog> {
  return openKafkaLog(url);
}
