/**
 * Resolves names to approved addresses. The operating system resolves (hosts files and search
 * domains matter in containers, messaging.md 1.5); its answers are kept for seconds, and all
 * addresses of an answer are checked. While it does not answer, the last answer counts for minutes
 * (RFC 8767): a look-up holds a thread for as long as a name server is silent, so that a few dead
 * names would make every other name wait.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { LRUCache } from 'lru-cache';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { type AddressGuard, settingOf } from './address-guard.js';
import { DestinationRefused } from './transport-error.js';

/** All addresses of a name, in the order in which they should be tried. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const keptMs = 5000;
const keptNamesMax = 4096;
const patienceMs = 3000;
/** How long an answer may be used if no newer one comes in `stalePatienceMs`. */
const staleMs = 600_000;
const stalePatienceMs = 1000;
/** The code of an error that a later look-up may not have: no name server has answered. */
const notNow = 'EAI_AGAIN';

const systemResolve: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/**
 * Addresses are checked at each request, also those of kept answers: a name must not be able to
 * change its address between the check and the connection.
 */
export class NameResolver {
  private readonly kept: LRUCache<string, readonly LookupAddress[]>;
  private readonly stale: LRUCache<string, readonly LookupAddress[]>;
  /** At most one look-up per name, however many wait or give up: a look-up holds a thread. */
  private readonly resolving = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
    private readonly resolve: Resolve = systemResolve,
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
      const cancel = this.clock.after(ms, () => {
        reject(new DestinationRefused(`does not resolve within ${ms} ms`));
      });
      this.resolveOnce(hostname).then(resolve, reject).finally(cancel);
    });
  }

  private resolveOnce(hostname: string): Promise<readonly LookupAddress[]> {
    const earlier = this.resolving.get(hostname);
    if (earlier !== undefined) return earlier;
    const answer = this.resolve(hostname)
      .then((addresses) => {
        this.kept.set(hostname, addresses);
        this.stale.set(hostname, addresses);
        return addresses;
      })
      .finally(() => this.resolving.delete(hostname));
    this.resolving.set(hostname, answer);
    return answer;
  }
}
