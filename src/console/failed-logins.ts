/**
 * Slows down the guessing of credentials: after a few failures an address has to wait. A known
 * browser counts separately from the others at its address.
 */
import { lastUsed } from '../grammar/collections.js';
import { Refusal } from '../grammar/result.js';
import { networkOf } from '../http/identity/client-network.js';

/** How many failures of a client are free of waiting: people mistype. */
const freeFailures = 5;
const waitMsMax = 60_000;
/** How many clients are remembered: those with the latest failures. */
const clientsMax = 10_000;

interface Failures {
  readonly count: number;
  /** On the caller's clock, in ms. */
  readonly notBefore: number;
}

/**
 * One for the server, in memory; times are milliseconds of one monotonic clock. A client is an
 * address, or the result of `browserClient` for a known browser.
 */
export class FailedLogins {
  private readonly known = lastUsed<string, Failures>(clientsMax);

  /** Why this client may not try now: 429 with `Retry-After`; undefined if it may. */
  judge(client: string, now: number): Refusal | undefined {
    const waitMs = (this.known.get(networkOf(client))?.notBefore ?? 0) - now;
    if (waitMs <= 0) return undefined;
    const seconds = Math.ceil(waitMs / 1000);
    const message = `too many failed attempts to sign in; try again in ${seconds} s`;
    return new Refusal('too_often', message, { 'retry-after': `${seconds}` });
  }

  /** The wait begins with a second, and doubles with each further failure. */
  failed(client: string, now: number): void {
    const key = networkOf(client);
    const count = (this.known.get(key)?.count ?? 0) + 1;
    const beyond = count - freeFailures;
    const waitMs = beyond < 0 ? 0 : Math.min(1000 * 2 ** beyond, waitMsMax);
    this.known.set(key, { count, notBefore: now + waitMs });
  }

  /** After a success the client need not wait any more. */
  succeeded(client: string): void {
    this.known.delete(networkOf(client));
  }
}

/** The client of a browser with this id; no address has such a name. */
export function browserClient(id: string): string {
  return `browser ${id}`;
}
