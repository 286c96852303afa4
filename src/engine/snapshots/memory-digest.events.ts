/** That memory was digested: what any later fold of the same events must come to. */
import type { DomainEvent, EventEnvelope } from '../decider.js';
import type { StreamPart } from '../resting/stream-part.js';

/** The stream kind of digests; each is a stream of one event, called after its offset. */
export const memoryDigestKind = 'memory-digest';

/** The index term of all digests. */
export const memoryDigestTerm = 'memory digests';

/**
 * A digest of memory as it was after the last event below an offset (`state-digest.ts`), or of one
 * part of it (`part-digest.ts`).
 */
export interface DigestedMemory {
  /** Of the journal. */
  readonly until: number;
  /** Names the program whose digest it is: another one may remember otherwise. */
  readonly label: string;
  /** Hexadecimal. */
  readonly hex: string;
  /** Name, number of items and sum of each section in turn. */
  readonly sections: readonly (string | number)[];
  /** Number and count of the part that it is of; left out = it is of all of memory. */
  readonly part?: readonly [number: number, of: number];
}

/**
 * A digest was recorded: the node that writes the journal records one with each snapshot that it
 * makes, and in a cluster every few seconds (ADR 73, 110).
 */
export interface MemoryDigested extends DomainEvent, DigestedMemory {
  readonly type: 'MemoryDigested';
}

/** The part that a digest is of; null = it is of all of memory. */
export function partIn({ part }: Pick<DigestedMemory, 'part'>): StreamPart | null {
  return part === undefined ? null : { number: part[0], of: part[1] };
}

/** Of the events that the journal gives, untyped: those that record a digest. */
export function isDigest(envelope: EventEnvelope): envelope is EventEnvelope<MemoryDigested> {
  return envelope.kind === memoryDigestKind;
}
