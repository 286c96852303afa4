/**
 * The way out of the process: the network in the product, simulated destinations in the simulation.
 */
import type { AttemptOutcome, OutgoingAttempt } from './attempt-outcome.js';

/**
 * `stepwell dev --fault` puts another one in front of it; features have no other way to
 * destinations.
 */
export interface Endpoints {
  /** Makes one attempt. Never rejects. When `signal` aborts, its open attempts end as cut. */
  call(attempt: OutgoingAttempt, signal?: AbortSignal): Promise<AttemptOutcome>;
  /** Cuts what is open and closes every connection. */
  close(): Promise<void>;
}
