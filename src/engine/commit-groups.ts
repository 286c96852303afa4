/** Turns that become durable together, and what follows once they are. */
import type { EventEnvelope } from './decider.js';

/** Everything decided since the last commit began. */
interface CommitGroup {
  readonly settled: Promise<void>;
  readonly envelopes: EventEnvelope[];
}

export class CommitGroups {
  private lastDurable: Promise<void> | null = null;
  private group: CommitGroup = { settled: Promise.resolve(), envelopes: [] };

  /** `settle` is called with the events of each group, after the answers to what caused them. */
  constructor(private readonly settle: (envelopes: readonly EventEnvelope[]) => void) {}

  /** When everything appended so far is durable; a failed write never settles. */
  get settled(): Promise<void> {
    return this.group.settled;
  }

  /**
   * `envelopes` are on disk once `durable` settles, which all have in common that become durable
   * together.
   */
  join(durable: Promise<void>, envelopes: readonly EventEnvelope[]): void {
    if (durable !== this.lastDurable) this.begin(durable);
    this.group.envelopes.push(...envelopes);
  }

  private begin(durable: Promise<void>): void {
    const envelopes: EventEnvelope[] = [];
    this.lastDurable = durable;
    // The store has reported a failed write, and the process ends.
    const settled = durable.then(
      // Replies go first: they are the microtasks of this promise.
      () => void setImmediate(() => this.settle(envelopes)),
      () => forever,
    );
    this.group = { settled, envelopes };
  }
}

const forever = new Promise<never>(() => {});
