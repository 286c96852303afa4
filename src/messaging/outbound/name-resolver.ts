/**
 * Names to approved addresses. The operating system resolves (hosts files and search domains matter
 * in containers, messaging.md 1.5); what it says is kept for seconds and judged whole.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../engine/clock.js';
import { type AddressGuard, settingOf } from './address-guard.js';
import { DestinationRefused } from './transport-error.js';

/** All addresses of a name, in the order in which they should be tried. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const keptMs = 5000;
const keptNamesMax = 4096;
const patienceMs = 3000;

const systemResolve: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/**
 * What is forbidden is judged on each ask, for kept answers too: a name may not change its mind
 * between the judgement and the connection.
 */
export class NameResolver {
  private readonly kept: LRUCache<string, readonly LookupAddress[]>;
  /** One look-up at a time for each name, however many wait and give up: it holds a thread. */
  private readonly resolving = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
    private readonly resolve: Resolve = systemResolve,
  ) {
    this.kept = new LRUCache({
      max: keptNamesMax,
      ttl: keptMs,
      ttlResolution: 0,
      perf: { now: () => clock.monotonic() },
    });
  }

  /**
   * The addresses that may be dialled for `hostname`. Rejects with `DestinationRefused` where one
   * of them is forbidden or no answer came within 3 seconds, else with the resolver's error.
   */
  async approved(hostname: string): Promise<readonly LookupAddress[]> {
    const found = this.kept.get(hostname) ?? (await this.inTime(hostname));
    const addresses = found.map(({ address }) => address);
    const refusal = this.guard.checkAddresses(addresses, hostname.replace(/\.$/, ''));
    if (refusal !== null) {
      throw new DestinationRefused(refusal.message, settingOf(refusal));
    }
    return found;
  }

  private inTime(hostname: string): Promise<readonly LookupAddress[]> {
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(patienceMs, () => {
        reject(new DestinationRefused(`does not resolve within ${patienceMs} ms`));
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
        return addresses;
      })
      .finally(() => this.resolving.delete(hostname));
    this.resolving.set(hostname, answer);
    return answer;
  }
}
