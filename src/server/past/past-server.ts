/** A server of the past as the present server sees it: in a thread, or in this process. */

import type { PastMoment } from '../../engine/history/past-moment.js';
import type { Role } from '../../http/identity/bearer-token.js';

/** The role with which a query is made. */
export type PastRole = Role;

/** A `GET` to the server of the past. */
export interface PastQuestion {
  /** Not before the moment of the previous query, and within what the server `reaches`. */
  readonly moment: PastMoment;
  readonly role: PastRole;
  /** The path with the query. */
  readonly target: string;
}

/** The answer. */
export interface PastAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Uint8Array;
}

/** The server as it was at one moment, and then at later ones. It takes one query at a time. */
export interface PastServer {
  /** The end of the journal that it reads. */
  readonly reaches: number;
  /** Rejects with `PastTooLarge` if the answer is too large. */
  ask(question: PastQuestion): Promise<PastAnswer>;
  end(): Promise<void>;
}

/** Rejects with `PastTooLarge` if the past state does not fit into its memory. */
export type OpenPast = (moment: PastMoment) => Promise<PastServer>;

/** The past is known, but too large to be shown; the message says what to do. */
export class PastTooLarge extends Error {
  override readonly name = 'PastTooLarge';
}

/** The past cannot be read, as the disk is damaged there; the message says where. */
export class PastDamaged extends Error {
  override readonly name = 'PastDamaged';
}

/** The error for a moment that does not fit into memory. */
export function tooMuchMemory(): PastTooLarge {
  return new PastTooLarge(
    'what was does not fit into STEPWELL_AS_OF_MEMORY: raise it, or ask for an earlier moment',
  );
}
