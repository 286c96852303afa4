/** What a data folder holds besides the journal: committed offsets, and records of topics. */
import type { PartitionLog } from '../../../storage/log/partition-log.js';
import type { Store } from '../../../storage/store.js';
import { recordsOf } from '../../server/repair/log-records.js';
import { CommittedOffsets, offsetsTopic } from '../../topics/offsets/committed-offsets.js';
import { recordText } from '../../topics/records/record-text.js';
import { partitionOfLog } from '../../topics/topics/topic-log-name.js';

/** `group topic/partition: committed 42 (time)`, one line for each stored position. */
export async function* committedOffsetLines(store: Store): AsyncGenerator<string> {
  for (const log of partitionsOf(store, offsetsTopic)) {
    const offsets = await CommittedOffsets.open(log, () => undefined);
    for (const { group, topic, partition, stored } of offsets.all()) {
      const { committed, start, at } = stored;
      const place = start === null ? '' : `, goes on at ${start}`;
      const said = `committed ${committed ?? 'nothing'}${place} (${new Date(at).toISOString()})`;
      yield `${group} ${topic}/${partition}: ${said}`;
    }
  }
}

/** The records of a topic as the log interface shows them, partition by partition. */
export async function* recordLines(store: Store, topic: string): AsyncGenerator<string> {
  const logs = partitionsOf(store, topic);
  if (logs.length === 0) throw new Error(`no topic "${topic}" in this folder`);
  for (const log of logs) {
    const place = partitionOfLog(log.name);
    if (place === null) continue;
    for await (const record of recordsOf(log)) yield recordText(record, place);
  }
}

function partitionsOf(store: Store, topic: string): PartitionLog[] {
  return store.logs().filter(({ name }) => partitionOfLog(name)?.topic === topic);
}
