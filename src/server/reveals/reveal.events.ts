/** That what is redacted, and secrets, were shown in clear. */
import type { DomainEvent } from '../../engine/decider.js';

/** The stream kind of reveals; the id is the credential that asked for them. */
export const revealKind = 'reveal';

/** What is shown in clear. */
export interface RevealedPart {
  /** Events of the journal, the state of one entity, or everything: a backup was begun. */
  readonly what: 'events' | 'entity' | 'backup';
  /** As it was asked for: `message/msg_1`, or an id; null = any. */
  readonly stream: string | null;
  /** Offsets of the journal that were asked for, half-open. */
  readonly from: number;
  readonly until: number;
  /** With bodies. */
  readonly bodies: boolean;
}

/** It is stored before anything is shown; who asked stands where that stands for every event. */
export interface JournalRevealed extends DomainEvent, RevealedPart {
  readonly type: 'JournalRevealed';
}
