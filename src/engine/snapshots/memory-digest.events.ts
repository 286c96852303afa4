/** That memory was digested: what any later fold of the same events must come to. */
import type { DomainEvent, EventEnvelope } from '../decider.js';

/** The stream kind of digests; each is a stream of one event, called after its offset. */
export const memoryDigestKind = 'memory-digest';

/** The index term of all digests. */
export const memoryDigestTerm = 'memory digests';

/** A digest of memory as it was after the last event below an offset (`state-digest.ts`). */
export interface DigestedMemory {
  /** Of the journal. */
  readonly until: number;
  /** Names the program whose digest it is: another one may remember otherwise. */
  readonly label: string;
  /** Hexadecimal. */
  readonly hex: string;
  /** Name, number of items and sum of each section in turn. */
  readonly sections: readonly (string | number)[];
}

/**
 * A digest was recorded: the node that writes the journal records one with each snapshot that it
 * makes, unless its memory is too large to be digested (ADR 73).
 */
export interface MemoryDigested extends DomainEvent, DigestedMemory {
  readonly type: 'MemoryDigested';
}

/** Of the events that the journal gives, untyped: those that record a digest. */
export function isDigest(envelope: EventEnvelope): envelope is EventEnvelope<MemoryDigested> {
  return envelope.kind === memoryDigestKind;
}
