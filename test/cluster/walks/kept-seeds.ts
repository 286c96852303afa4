/**
 * What nodes of the simulation know of requests that are done: one that is forwarded again brings
 * the seed of its first turn with it, and is answered instead of done twice. The server finds it in
 * its journal (`RepeatedRequests`), which simulated nodes do not have.
 */

/** A node asks again for some seconds at most; what is older was answered, or given up. */
const keptMs = 10 * 60 * 1000;

/** A fold of what counts, by the times of the log: the same on every node at the same place. */
export class KeptSeeds {
  private latest = 0;

  constructor(private readonly times: Map<string, number> = new Map()) {
    for (const at of times.values()) this.latest = Math.max(this.latest, at);
  }

  /** A request counts, by a batch that the log took at `at`, Unix milliseconds of the log. */
  keep(seed: string, at: number): void {
    this.latest = Math.max(this.latest, at);
    this.times.delete(seed);
    this.times.set(seed, this.latest);
    for (const [old, oldAt] of this.times) {
      if (this.latest - oldAt <= keptMs) break;
      this.times.delete(old);
    }
  }

  /** False also for one that was kept too long ago. */
  has(seed: string): boolean {
    return this.times.has(seed);
  }

  /** For a node that goes on from here. */
  copy(): KeptSeeds {
    return new KeptSeeds(new Map(this.times));
  }
}
