/** Records that memory was digested: any later fold of the same events must have this digest. */
import type { DomainEvent, EventEnvelope } from '../decider.js';
import type { StreamPart } from '../resting/stream-part.js';

/** The stream kind of digests; each is a stream of one event, named after its offset. */
export const memoryDigestKind = 'memory-digest';

/** The index term of all digests. */
export const memoryDigestTerm = 'memory digests';

/**
 * A digest of memory as it was after the last event below an offset (`state-digest.ts`), or of one
 * part of it (`part-digest.ts`).
 */
export interface DigestedMemory {
  /** A journal offset. */
  readonly until: number;
  /** Identifies the program that made the digest: another program may remember other things. */
  readonly label: string;
  /** Hexadecimal. */
  readonly hex: string;
  /** The name, number of items and sum of each section, one after another. */
  readonly sections: readonly (string | number)[];
  /** Number and count of the part that was digested; absent = all of memory. */
  readonly part?: readonly [number: number, of: number];
}

/**
 * A digest was recorded: the node that writes the journal records one with each snapshot, and in a
 * cluster every few seconds (ADR 73, 110).
 */
export interface MemoryDigested extends DomainEvent, DigestedMemory {
  readonly type: 'MemoryDigested';
}

/** The part that was digested; null = all of memory. */
export function partIn({ part }: Pick<DigestedMemory, 'part'>): StreamPart | null {
  return part === undefined ? null : { number: part[0], of: part[1] };
}

/** Whether an event, untyped as read from the journal, records a digest. */
export function isDigest(envelope: EventEnvelope): envelope is EventEnvelope<MemoryDigested> {
  return envelope.kind === memoryDigestKind;
}
