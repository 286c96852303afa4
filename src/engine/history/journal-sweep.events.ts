/** What can happen to the history in the journal: it is swept. */
import type { Checkpointed, DomainEvent, EventEnvelope } from '../decider.js';

/** The stream kind of sweeps; there is one stream, `journalSweepsId`. */
export const journalSweepKind = 'journal-sweep';
/** The id of the one stream of all sweeps. */
export const journalSweepsId = 'journal';

/** The outcome of one sweep of the journal. */
export interface SweepOutcome {
  /** Below this offset only needed events are left. */
  readonly until: number;
  readonly keptRecords: number;
  readonly removedRecords: number;
  readonly removedBytes: number;
}

/**
 * A sweep is about to remove events that ended below `edge` and are not needed. Indexes drop
 * expired entries at this event: a process that was killed in the middle of a sweep replays to the
 * same memory.
 */
export interface JournalSweepBegun extends DomainEvent {
  readonly type: 'JournalSweepBegun';
  /** A journal offset: no event at or above it is removed. */
  readonly edge: number;
}

/** The journal was swept: events that nothing needs and retention does not keep are gone. */
export interface JournalSwept extends DomainEvent, SweepOutcome {
  readonly type: 'JournalSwept';
}

/** Every event of the stream of sweeps, except its checkpoints. */
export type JournalSweepEvent = JournalSweepBegun | JournalSwept;

/** The input of a sweep. */
export interface SweepRange {
  /** A journal offset: no event at or above it is removed. */
  readonly edge: number;
  /** Events that are needed at this time stay; Unix milliseconds. */
  readonly at: number;
}

/** The sweep that this event announces; null if it announces none. */
export function sweepBegunBy(envelope: EventEnvelope): SweepRange | null {
  if (!isSweepEvent(envelope)) return null;
  const { event, at } = envelope;
  return event.type === 'JournalSweepBegun' ? { edge: event.edge, at } : null;
}

/** The offset below which the sweep of this event removes events; null if it is not about one. */
export function sweptUntilBy(envelope: EventEnvelope): number | null {
  if (!isSweepEvent(envelope)) return null;
  const { event } = envelope;
  if (event.type === 'Checkpointed') return null;
  return event.type === 'JournalSweepBegun' ? event.edge : event.until;
}

/** Whether an event, untyped as read from the journal, is one of sweeps. */
function isSweepEvent(
  envelope: EventEnvelope,
): envelope is EventEnvelope<JournalSweepEvent | Checkpointed> {
  return envelope.kind === journalSweepKind;
}
