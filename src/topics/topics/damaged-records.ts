/** The refusal of a read of damaged records, with their offsets and where to continue. */
import { DamagedOffsets } from '../../../storage/faults/storage-errors.js';
import { Refusal } from '../../grammar/result.js';
import { partitionOfLog } from './topic-log-name.js';

/**
 * The refusal of a request that would have to read damaged records of a topic (topics.md 1.3);
 * undefined for any other error. It is a 500, because it is a storage failure; a reader gets past
 * it only by skipping the range.
 */
export function damageRefusal(error: unknown): Refusal | undefined {
  const place = error instanceof DamagedOffsets ? partitionOfLog(error.logName) : null;
  if (!(error instanceof DamagedOffsets) || place === null) return undefined;
  const { topic, partition } = place;
  const { offsets, range } = error;
  const details = {
    code: 'DATA_DAMAGED',
    topic,
    partition,
    lastGoodOffset: range.lastGoodOffset,
    nextGoodOffset: offsets.until,
  };
  return new Refusal('failed', damageText(topic, partition, offsets), undefined, details);
}

/** Describes the damage in one sentence; `until` is exclusive. */
export function damageText(
  topic: string,
  partition: number,
  { from, until }: DamagedOffsets['offsets'],
): string {
  const what = `offsets ${from} to ${until - 1} are damaged and cannot be read`;
  return `partition ${partition} of ${topic}: ${what}; the next ones can, from ${until} on`;
}
