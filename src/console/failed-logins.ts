/** Slows the guessing of credentials down: after a few failures an address has to wait. */
import ipaddr from 'ipaddr.js';
import { lastUsed } from '../grammar/collections.js';
import { Refusal } from '../grammar/result.js';

/** So many failures of an address may follow each other at once: people mistype. */
const freeFailures = 5;
const waitMsMax = 60_000;
/** Addresses that are remembered, those that failed last. */
const addressesMax = 10_000;

interface Failures {
  readonly count: number;
  /** On the clock of the caller, milliseconds. */
  readonly notBefore: number;
}

/** One for the server, in memory; times are milliseconds of one monotonic clock. */
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

  /** The wait begins with a second, and doubles with each further failure. */
  failed(address: string, now: number): void {
    const key = networkOf(address);
    const count = (this.known.get(key)?.count ?? 0) + 1;
    const beyond = count - freeFailures;
    const waitMs = beyond < 0 ? 0 : Math.min(1000 * 2 ** beyond, waitMsMax);
    this.known.set(key, { count, notBefore: now + waitMs });
  }

  /** A person who mistyped waits no more. */
  succeeded(address: string): void {
    this.known.delete(networkOf(address));
  }
}

/** An IPv4 address, or the network of 64 bits of an IPv6 address: a host has all of those. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
