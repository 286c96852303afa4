/**
 * What simulated nodes know of requests that are done. A request that is forwarded again has the
 * seed of its first turn, and is answered instead of being carried out twice. The server finds such
 * a request in its journal (`RepeatedRequests`), which simulated nodes do not have.
 */

/** A node repeats a request for a few seconds at most; older requests were answered or given up. */
const keptMs = 10 * 60 * 1000;

/**
 * A fold of counted batches, by the times of the log, so that all nodes agree at the same place.
 */
export class KeptSeeds {
  private latest = 0;

  constructor(private readonly times: Map<string, number> = new Map()) {
    for (const at of times.values()) this.latest = Math.max(this.latest, at);
  }

  /**
   * Notes a request of a counted batch that the log stored at `at`, in Unix milliseconds of the
   * log.
   */
  keep(seed: string, at: number): void {
    this.latest = Math.max(this.latest, at);
    this.times.delete(seed);
    this.times.set(seed, this.latest);
    for (const [old, oldAt] of this.times) {
      if (this.latest - oldAt <= keptMs) break;
      this.times.delete(old);
    }
  }

  /** Whether a seed is kept; false also for a seed that is too old. */
  has(seed: string): boolean {
    return this.times.has(seed);
  }

  /** A copy for a node that continues from here. */
  copy(): KeptSeeds {
    return new KeptSeeds(new Map(this.times));
  }
}
