/** Groups turns that become durable together, and runs what follows once they are. */
import type { EventEnvelope } from './decider.js';

/** Everything decided since the last commit began. */
interface CommitGroup {
  readonly settled: Promise<void>;
  readonly envelopes: EventEnvelope[];
  /** Calls to make once its events are settled; null = they are settled. */
  followers: (() => void)[] | null;
}

/**
 * One per engine. Keeps the order of the journal between the groups, for answers and for observers
 * alike; an observer never sees an event that is not durable.
 */
export class CommitGroups {
  private lastDurable: Promise<void> | null = null;
  private group: CommitGroup = { settled: Promise.resolve(), envelopes: [], followers: null };

  /** `settle` is called with the events of each group, after their callers have been answered. */
  constructor(private readonly settle: (envelopes: readonly EventEnvelope[]) => void) {}

  /** Settles when everything appended so far is durable; never settles if a write fails. */
  get settled(): Promise<void> {
    return this.group.settled;
  }

  /** `envelopes` are on disk once `durable` settles; turns with the same promise share a group. */
  join(durable: Promise<void>, envelopes: readonly EventEnvelope[]): void {
    if (durable !== this.lastDurable) this.begin(durable);
    this.group.envelopes.push(...envelopes);
  }

  /** Calls `follow` after the last event so far and before the first of those to come. */
  between(follow: () => void): void {
    const { followers } = this.group;
    if (followers === null) {
      follow();
      return;
    }
    followers.push(follow);
    this.lastDurable = null;
  }

  private begin(durable: Promise<void>): void {
    const envelopes: EventEnvelope[] = [];
    this.lastDurable = durable;
    // If the write fails, the store has reported it and the process ends.
    const settled = durable.then(
      // Replies go first: they are the microtasks of this promise.
      () => void setImmediate(() => this.end(group)),
      () => forever,
    );
    const group: CommitGroup = { settled, envelopes, followers: [] };
    this.group = group;
  }

  private end(group: CommitGroup): void {
    const { envelopes, followers } = group;
    this.settle(envelopes);
    group.followers = null;
    for (const follow of followers ?? []) follow();
  }
}

const forever = new Promise<never>(() => {});
