/** What can have happened to the history that the journal keeps. */
import type { Checkpointed, DomainEvent, EventEnvelope } from '../decider.js';

/** The stream kind of sweeps; there is one stream, `journalSweepsId`. */
export const journalSweepKind = 'journal-sweep';
/** The id of the one stream of all sweeps. */
export const journalSweepsId = 'journal';

/** What one sweep of the journal came to. */
export interface SweepOutcome {
  /** Below this offset only what was needed is left. */
  readonly until: number;
  readonly keptRecords: number;
  readonly removedRecords: number;
  readonly removedBytes: number;
}

/**
 * A sweep is about to remove what ended below `edge` and is not needed. Indexes forget here what is
 * over: what has removed a part of it, and was killed, replays to the same memory.
 */
export interface JournalSweepBegun extends DomainEvent {
  readonly type: 'JournalSweepBegun';
  /** A journal offset: no event at it or above is removed. */
  readonly edge: number;
}

/** The journal was swept: what nothing needed and retention did not keep is gone. */
export interface JournalSwept extends DomainEvent, SweepOutcome {
  readonly type: 'JournalSwept';
}

/** Every event of that stream, but for its checkpoints. */
export type JournalSweepEvent = JournalSweepBegun | JournalSwept;

/** What a sweep goes by. */
export interface SweepRange {
  /** A journal offset: no event at it or above is removed. */
  readonly edge: number;
  /** What is needed then stays; Unix milliseconds. */
  readonly at: number;
}

/** The sweep that an event says is about to begin; null where it says something else. */
export function sweepBegunBy(envelope: EventEnvelope): SweepRange | null {
  if (!isSweepEvent(envelope)) return null;
  const { event, at } = envelope;
  return event.type === 'JournalSweepBegun' ? { edge: event.edge, at } : null;
}

/** Below which offset the sweep that an event tells of removes; null where it tells of none. */
export function sweptUntilBy(envelope: EventEnvelope): number | null {
  if (!isSweepEvent(envelope)) return null;
  const { event } = envelope;
  if (event.type === 'Checkpointed') return null;
  return event.type === 'JournalSweepBegun' ? event.edge : event.until;
}

/** Of the events that the journal gives, untyped: those of sweeps. */
function isSweepEvent(
  envelope: EventEnvelope,
): envelope is EventEnvelope<JournalSweepEvent | Checkpointed> {
  return envelope.kind === journalSweepKind;
}
