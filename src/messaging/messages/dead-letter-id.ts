/**
 * Ids of dead letters, of messages and of runs (messaging.md 10). Clients take them as they are.
 *
 *     1790000000000-42s00   when it failed (Unix ms), where the journal says so, and its shard
 *
 * Ids of before had no mark of the shard; they are still read, as the first shard's.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import { shardLetters } from '../../engine/identifiers.js';

const mark = `s${shardLetters}`;
const unmarked = /^\d+-\d+$/;
const readId = /^\d+-(\d+)(?:s[0-9A-Z]{2})?$/;

/** The id of the dead letter that a failure leaves. */
export function deadLetterId({ at, offset }: Pick<EventEnvelope, 'at' | 'offset'>): string {
  return `${at}-${offset}${mark}`;
}

/** An id from outside or from an older event, as `deadLetterId` makes it. */
export function markedLetterId(id: string): string {
  return unmarked.test(id) ? id + mark : id;
}

/** The journal offset of the failure that an id names; NaN = it is no such id. */
export function failureOffsetOf(dlqId: string): number {
  return Number(readId.exec(dlqId)?.[1] ?? Number.NaN);
}
