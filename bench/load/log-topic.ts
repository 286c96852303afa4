/** A topic that is filled before it is read. */

import type { MeasuredProcess } from '../measure/measured-process.js';
import { callLog } from './api-call.js';

export const topicName = 'bench';

/** What is in it: the same number of records in each partition. */
export interface TopicContents {
  readonly partitions: number;
  readonly recordsEach: number;
  /** The value of each record; must not look like a record itself. */
  readonly value: string;
  /** Records of one produce. */
  readonly batchRecords: number;
}

/** How many records there are in each partition. */
export function endsOf({
  partitions,
  recordsEach,
}: Pick<TopicContents, 'partitions' | 'recordsEach'>): readonly number[] {
  return Array<number>(partitions).fill(recordsEach);
}

export async function createTopic(server: MeasuredProcess, partitions: number): Promise<void> {
  await callLog(server, 'POST', '/admin/topics', { name: topicName, partitions });
}

/** Makes the topic and produces its records, in batches, into all partitions at once. */
export async function fillTopic(
  server: MeasuredProcess,
  { partitions, recordsEach, value, batchRecords }: TopicContents,
): Promise<void> {
  await createTopic(server, partitions);
  const fill = async (partition: number) => {
    const batch = Array(batchRecords).fill({ partition, value });
    for (let count = 0; count < recordsEach; count += batchRecords) {
      await callLog(server, 'POST', `/produce/${topicName}`, batch.slice(0, recordsEach - count));
    }
  };
  await Promise.all(Array.from({ length: partitions }, (_, partition) => fill(partition)));
}
