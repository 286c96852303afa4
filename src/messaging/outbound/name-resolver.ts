/**
 * Resolves names to approved addresses. The operating system resolves (hosts files and search
 * domains matter in containers, messaging.md 1.5); its answers are kept for seconds, and all
 * addresses of an answer are checked. While it does not answer, the last answer counts for minutes
 * (RFC 8767).
 */
import type { LookupAddress } from 'node:dns';
import { LRUCache } from 'lru-cache';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { type AddressGuard, settingOf } from './address-guard.js';
import { LookUps, type Resolve } from './look-ups.js';
import { DestinationRefused } from './transport-error.js';

const keptMs = 5000;
const keptNamesMax = 4096;
const patienceMs = 3000;
/** How long an answer may be used if no newer one comes in `stalePatienceMs`. */
const staleMs = 600_000;
const stalePatienceMs = 1000;
/** The code of an error that a later look-up may not have: no name server has answered. */
const notNow = 'EAI_AGAIN';

/** A look-up that has no answer yet. */
interface OpenLookUp {
  readonly answer: Promise<readonly LookupAddress[]>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Addresses are checked at each request, also those of kept answers: a name must not be able to
 * change its address between the check and the connection.
 */
export class NameResolver {
  private readonly kept: LRUCache<string, readonly LookupAddress[]>;
  private readonly stale: LRUCache<string, readonly LookupAddress[]>;
  /** At most one look-up per name, however many wait or give up: a look-up holds a thread. */
  private readonly open = new Map<string, OpenLookUp>();

  constructor(
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
    private readonly resolve: Resolve = new LookUps().resolve,
  ) {
    const perf = { now: () => clock.monotonic() };
    const terms = { max: keptNamesMax, ttlResolution: 0, perf };
    this.kept = new LRUCache({ ...terms, ttl: keptMs });
    this.stale = new LRUCache({ ...terms, ttl: staleMs });
  }

  /**
   * The addresses that may be dialled for `hostname`. Rejects with `DestinationRefused` if one of
   * them is forbidden or no answer came within 3 seconds, and none in the last minutes, else with
   * the resolver's error.
   */
  async approved(hostname: string): Promise<readonly LookupAddress[]> {
    const found = this.kept.get(hostname) ?? (await this.latest(hostname));
    const addresses = found.map(({ address }) => address);
    const refusal = this.guard.checkAddresses(addresses, hostname.replace(/\.$/, ''));
    if (refusal !== null) {
      throw new DestinationRefused(refusal.message, settingOf(refusal));
    }
    return found;
  }

  private async latest(hostname: string): Promise<readonly LookupAddress[]> {
    const stale = this.stale.get(hostname);
    if (stale === undefined) return this.inTime(hostname, patienceMs);
    try {
      return await this.inTime(hostname, stalePatienceMs);
    } catch (error) {
      if (error instanceof DestinationRefused || errorCode(error) === notNow) return stale;
      this.stale.delete(hostname);
      throw error;
    }
  }

  private inTime(hostname: string, ms: number): Promise<readonly LookupAddress[]> {
    return new Promise((resolve, reject) => {
      const lookUp = this.open.get(hostname) ?? this.start(hostname);
      lookUp.waiting += 1;
      const cancel = this.clock.after(ms, () => {
        lookUp.waiting -= 1;
        // First, so that an attempt that follows on this one does not find the aborted look-up.
        if (lookUp.waiting === 0) lookUp.abort.abort();
        reject(new DestinationRefused(`does not resolve within ${ms} ms`));
      });
      lookUp.answer.then(resolve, reject).finally(cancel);
    });
  }

  private start(hostname: string): OpenLookUp {
    const abort = new AbortController();
    const terms = { isKnown: this.stale.has(hostname), signal: abort.signal };
    const answer = this.resolve(hostname, terms)
      .then((addresses) => {
        this.kept.set(hostname, addresses);
        this.stale.set(hostname, addresses);
        return addresses;
      })
      .finally(() => this.open.delete(hostname));
    const lookUp = { answer, abort, waiting: 0 };
    this.open.set(hostname, lookUp);
    return lookUp;
  }
}
