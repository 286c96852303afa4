/** The logs of partitions that a request names. */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Refusal } from '../../http/error-shapes.js';
import type { TopicPartition } from '../groups/topic-partition.js';
import type { TopicLogs } from '../topics/topic-logs.js';

/** In the order of `places`; 404 names the first one that is not there. */
export async function logsOf(
  topics: Pick<TopicLogs, 'logs'>,
  places: readonly TopicPartition[],
): Promise<readonly PartitionLog[] | Refusal> {
  const found: PartitionLog[] = [];
  for (const { topic, partition } of places) {
    const logs = await topics.logs(topic);
    if (logs === undefined) return { status: 404, message: `topic ${topic} not found` };
    const log = logs[partition];
    if (log === undefined) {
      return { status: 404, message: `${topic} has no partition ${partition}` };
    }
    found.push(log);
  }
  return found;
}
