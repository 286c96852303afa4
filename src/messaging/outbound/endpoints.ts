/**
 * How the process reaches destinations: over the network in the product, in simulations by
 * simulated destinations.
 */
import type { AttemptOutcome, OutgoingAttempt } from './attempt-outcome.js';

/**
 * Features have no other way to reach destinations; `stepwell dev --fault` puts a wrapper in front
 * of this.
 */
export interface Endpoints {
  /** Makes one attempt. Never rejects. When `signal` aborts, its open attempts are cut. */
  call(attempt: OutgoingAttempt, signal?: AbortSignal): Promise<AttemptOutcome>;
  /** Cuts open attempts and closes every connection. */
  close(): Promise<void>;
}
