/** The Kafka client: loaded only by nodes whose shared log is a Kafka topic. */

import type { CommitLog } from '../../cluster/commit-log.js';
import { openKafkaLog } from '../../cluster/kafka/kafka-log.js';

/**
 * Rejects if the topic may lose acknowledged records, or the client is not installed. `onError` is
 * called with the reason of each failed append or read.
 */
export function openTopic(url: string, onError: (error: unknown) => void): Promise<CommitLog> {
  return openKafkaLog(url, onError);
}
