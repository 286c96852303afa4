/** Slows down the guessing of credentials: after a few failures, an address has to wait. */
import ipaddr from 'ipaddr.js';
import { lastUsed } from '../grammar/collections.js';
import { Refusal } from '../grammar/result.js';

/** How many failures an address may have without waiting: people mistype. */
const freeFailures = 5;
const waitMsMax = 60_000;
/** How many addresses are remembered: those that failed last. */
const addressesMax = 10_000;

interface Failures {
  readonly count: number;
  /** On the caller's clock, in ms. */
  readonly notBefore: number;
}

/** One instance per server, in memory; times are in ms of one monotonic clock. */
export class FailedLogins {
  private readonly known = lastUsed<string, Failures>(addressesMax);

  /** Why this address may not try now: 429 with `Retry-After`; undefined if it may. */
  judge(address: string, now: number): Refusal | undefined {
    const waitMs = (this.known.get(networkOf(address))?.notBefore ?? 0) - now;
    if (waitMs <= 0) return undefined;
    const seconds = Math.ceil(waitMs / 1000);
    const message = `too many failed attempts to sign in; try again in ${seconds} s`;
    return new Refusal('too_often', message, { 'retry-after': `${seconds}` });
  }

  /** The wait starts at one second and doubles with each further failure. */
  failed(address: string, now: number): void {
    const key = networkOf(address);
    const count = (this.known.get(key)?.count ?? 0) + 1;
    const beyond = count - freeFailures;
    const waitMs = beyond < 0 ? 0 : Math.min(1000 * 2 ** beyond, waitMsMax);
    this.known.set(key, { count, notBefore: now + waitMs });
  }

  /** Called after a success: a person who mistyped need not wait any more. */
  succeeded(address: string): void {
    this.known.delete(networkOf(address));
  }
}

/**
 * An IPv4 address, or the /64 network of an IPv6 address, since a host may use all addresses of it.
 */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
