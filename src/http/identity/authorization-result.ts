/** The result of authorizing a request at the front door. */
import type { Refusal } from '../../grammar/result.js';

/**
 * The result of `admit` of both interfaces: the front door makes the caller from it, or refuses the
 * request.
 */
export interface AuthorizationResult {
  /** The credential as the journal names it; null if it is unknown or missing. */
  readonly principal: string | null;
  /** Why the request may not enter; undefined if it may. */
  readonly refusal: Refusal | undefined;
}
