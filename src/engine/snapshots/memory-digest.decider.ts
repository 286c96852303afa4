/**
 * A digest of memory, recorded in the journal. Its stream has one event and is then final, so that
 * recording a digest does not change the memory that was digested.
 */
import { accept, type Command, type Decider } from '../decider.js';
import {
  type DigestedMemory,
  type MemoryDigested,
  memoryDigestKind,
  memoryDigestTerm,
} from './memory-digest.events.js';

/** Records a digest that was made. */
export interface RecordDigest extends Command<null>, DigestedMemory {
  readonly type: 'RecordDigest';
}

/** Whether the digest is recorded. */
export type MemoryDigestState = boolean;

/** Refuses nothing: the id of the stream is the digest's offset, and each is recorded once. */
export const memoryDigestDecider: Decider<MemoryDigestState, RecordDigest, MemoryDigested> = {
  kind: memoryDigestKind,
  events: { MemoryDigested: [] },
  initialState: () => false,
  decide: ({ until, label, hex, sections, part }) =>
    accept([{ type: 'MemoryDigested', until, label, hex, sections, ...(part && { part }) }]),
  evolve: () => true,
  wants: () => [],
  isFinal: (isRecorded) => isRecorded,
  terms: () => [memoryDigestTerm],
};
