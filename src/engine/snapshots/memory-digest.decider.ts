/** A digest of memory in the journal. It ends with its event, so that memory does not change. */
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

/** Whether it is recorded. */
export type MemoryDigestState = boolean;

export const memoryDigestDecider: Decider<MemoryDigestState, RecordDigest, MemoryDigested> = {
  kind: memoryDigestKind,
  initialState: () => false,
  decide: ({ until, label, hex, sections }) =>
    accept([{ type: 'MemoryDigested', until, label, hex, sections }]),
  evolve: () => true,
  wants: () => [],
  isFinal: (isRecorded) => isRecorded,
  terms: () => [memoryDigestTerm],
};
