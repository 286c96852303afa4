/** What the logs of topics are called in the store, and which of them live with damage. */
import { internalPrefix } from './topic.decider.js';

/** One partition of a topic. */
export interface PartitionPlace {
  readonly topic: string;
  readonly partition: number;
}

/** The name of a partition's log in the store; it never names a file. */
export function topicLogName(topic: string, partition: number): string {
  return `topic/${topic}/${partition}`;
}

/** Whose log it is; null for a log that is no partition's. */
export function partitionOfLog(name: string): PartitionPlace | null {
  const [, topic, partition] = /^topic\/([^/]+)\/(\d+)$/.exec(name) ?? [];
  return topic === undefined ? null : { topic, partition: Number(partition) };
}

/**
 * Whether damage in a sealed part of the log of this name costs only the records in it, and the
 * server starts. Not in the journal, of which everything is made. And not in the server's own
 * topics: without their committed offsets groups would skip records, or read them again, and no
 * client would know.
 */
export function isolatesDamage(name: string): boolean {
  const place = partitionOfLog(name);
  return place !== null && !place.topic.startsWith(internalPrefix);
}
