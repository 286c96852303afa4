/** A server that shows what was, as the one beside it sees it: in a thread, or in this process. */

import type { PastMoment } from '../../engine/history/past-moment.js';
import type { Role } from '../../http/identity/bearer-token.js';

/** With what right a question is asked. */
export type PastRole = Role;

/** A `GET` of the server as it was. */
export interface PastQuestion {
  /** Not before that of the question before, and within what the server `reaches`. */
  readonly moment: PastMoment;
  readonly role: PastRole;
  /** Path and query. */
  readonly target: string;
}

/** What it answered. */
export interface PastAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Uint8Array;
}

/** The server as it was at one moment, and later at a later one. One question at a time. */
export interface PastServer {
  /** The journal that it reads ends here. */
  readonly reaches: number;
  /** Rejects with `PastTooLarge` where the answer is. */
  ask(question: PastQuestion): Promise<PastAnswer>;
  end(): Promise<void>;
}

/** Rejects with `PastTooLarge` where what was does not fit into its memory. */
export type OpenPast = (moment: PastMoment) => Promise<PastServer>;

/** What was is there, and too large to be shown; the message says what to do. */
export class PastTooLarge extends Error {
  override readonly name = 'PastTooLarge';
}

/** What was cannot be read, as the disk is damaged there; the message says where. */
export class PastDamaged extends Error {
  override readonly name = 'PastDamaged';
}

/** Why a moment cannot be folded. */
export function tooMuchMemory(): PastTooLarge {
  return new PastTooLarge(
    'what was does not fit into STEPWELL_AS_OF_MEMORY: raise it, or ask for an earlier moment',
  );
}
