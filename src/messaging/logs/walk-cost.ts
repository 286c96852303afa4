/** What a walk over the journal has cost, beside what it may cost. */
import type { Clock } from '../../engine/clock.js';

/** What one walk may cost: events read, and milliseconds from its beginning. */
export interface WalkBudget {
  readonly events: number;
  readonly milliseconds: number;
}

/** Made for one walk, which looks at `isSpent` and ends its page there. */
export class WalkCost {
  private readonly startedAt: number;
  private events = 0;

  /** The time runs from here. */
  constructor(
    private readonly clock: Clock,
    private readonly budget: WalkBudget,
  ) {
    this.startedAt = clock.monotonic();
  }

  /** An event was read. */
  spend(): void {
    this.events += 1;
  }

  /** Whether the walk has cost what it may cost. */
  get isSpent(): boolean {
    const { budget, clock, startedAt, events } = this;
    return events >= budget.events || clock.monotonic() - startedAt >= budget.milliseconds;
  }
}
