/** What the front door finds out about who makes a request. */
import type { Refusal } from '../../grammar/result.js';

/** The answer of `admit` of both interfaces: the front door makes the caller of it, or refuses. */
export interface AuthorizationResult {
  /** The credential, as the journal names it; null where it is none that is known. */
  readonly principal: string | null;
  /** Why the request may not enter; undefined if it may. */
  readonly refusal: Refusal | undefined;
}
