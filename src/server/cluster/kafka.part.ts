/** The Kafka client: loaded only by nodes whose shared log is a Kafka topic. */

import type { CommitLog } from '../../cluster/commit-log.js';
import { openKafkaLog } from '../../cluster/kafka/kafka-log.js';

/**
 * Rejects where the topic may lose what it acknowledges, or the client is not installed. `onError`
 * is called with what an append or a read has failed for.
 */
export function openTopic(url: string, onError: (error: unknown) => void): Promise<CommitLog> {
  return openKafkaLog(url, onError);
}
