/**
 * Ids of the dead letters of messages and of runs (messaging.md 10). To clients they are opaque.
 *
 *     1790000000000-42s00   time of the failure (Unix ms), its journal offset, its shard
 *
 * Older ids carry no shard mark. They are still accepted, and belong to the first shard.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import { shardLetters } from '../../engine/identifiers.js';

const mark = `s${shardLetters}`;
const unmarked = /^\d+-\d+$/;
const readId = /^\d+-(\d+)(?:s[0-9A-Z]{2})?$/;

/** The id of the dead letter that a failure creates. */
export function deadLetterId({ at, offset }: Pick<EventEnvelope, 'at' | 'offset'>): string {
  return `${at}-${offset}${mark}`;
}

/** Completes an id from a client or an older event to the form that `deadLetterId` makes. */
export function markedLetterId(id: string): string {
  return unmarked.test(id) ? id + mark : id;
}

/** The journal offset of the failure that an id names; NaN = it is not a dead letter id. */
export function failureOffsetOf(dlqId: string): number {
  return Number(readId.exec(dlqId)?.[1] ?? Number.NaN);
}
