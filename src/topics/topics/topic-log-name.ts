/** The names of the logs of topics in the store, and which of these logs tolerate damage. */
import { internalPrefix } from './topic.decider.js';

/** One partition of a topic. */
export interface PartitionPlace {
  readonly topic: string;
  readonly partition: number;
}

/** The name of a partition's log in the store; it is never used as a file name. */
export function topicLogName(topic: string, partition: number): string {
  return `topic/${topic}/${partition}`;
}

/** The partition to which a log belongs; null for any other log. */
export function partitionOfLog(name: string): PartitionPlace | null {
  const [, topic, partition] = /^topic\/([^/]+)\/(\d+)$/.exec(name) ?? [];
  return topic === undefined ? null : { topic, partition: Number(partition) };
}

/**
 * Whether damage in a sealed part of the log of this name affects only the damaged records, so that
 * the server still starts. Not for the journal, from which all state is made. And not for the
 * server's own topics: without the committed offsets in them, groups would skip records or read
 * them again, and no client would know.
 */
export function isolatesDamage(name: string): boolean {
  const place = partitionOfLog(name);
  return place !== null && !place.topic.startsWith(internalPrefix);
}
