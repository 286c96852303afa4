/** Turns that become durable together, and what follows once they are. */
import type { EventEnvelope } from './decider.js';

/** Everything decided since the last commit began. */
interface CommitGroup {
  readonly settled: Promise<void>;
  readonly envelopes: EventEnvelope[];
  /** What follows when its events are settled; null = they are. */
  followers: (() => void)[] | null;
}

/**
 * One for each engine. Between the groups it keeps the order of the journal, for answers and for
 * observers alike; an observer never sees an event that is not durable.
 */
export class CommitGroups {
  private lastDurable: Promise<void> | null = null;
  private group: CommitGroup = { settled: Promise.resolve(), envelopes: [], followers: null };

  /** `settle` is called with the events of each group, after the answers to what caused them. */
  constructor(private readonly settle: (envelopes: readonly EventEnvelope[]) => void) {}

  /** When everything appended so far is durable; a failed write never settles. */
  get settled(): Promise<void> {
    return this.group.settled;
  }

  /**
   * `envelopes` are on disk once `durable` settles: one promise for all that become durable
   * together.
   */
  join(durable: Promise<void>, envelopes: readonly EventEnvelope[]): void {
    if (durable !== this.lastDurable) this.begin(durable);
    this.group.envelopes.push(...envelopes);
  }

  /** Calls `follow` between the last of the events so far and the first of those to come. */
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
    // The store has reported a failed write, and the process ends.
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
