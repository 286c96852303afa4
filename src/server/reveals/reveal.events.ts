/** Events which say that redacted data or secrets were shown in clear. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of reveals; the id is the credential that asked. */
export const revealKind = 'reveal';

/** What is shown in clear. */
export interface RevealedPart {
  /** Events of the journal, the state of one entity, or everything: a backup was started. */
  readonly what: 'events' | 'entity' | 'backup';
  /** As requested: `message/msg_1`, or an id; null = any. */
  readonly stream: string | null;
  /** The requested offsets of the journal, half-open. */
  readonly from: number;
  readonly until: number;
  /** Whether bodies are included. */
  readonly bodies: boolean;
}

/** Stored before anything is shown; the principal of the event is who asked, as in every event. */
export interface JournalRevealed extends DomainEvent, RevealedPart {
  readonly type: 'JournalRevealed';
}
