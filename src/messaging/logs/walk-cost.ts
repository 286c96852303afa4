/** The cost of a walk over the journal, compared with its budget. */
import type { Clock } from '../../engine/clock.js';

/** The budget of one walk: events read, and milliseconds from its beginning. */
export interface WalkBudget {
  readonly events: number;
  readonly milliseconds: number;
}

/** Created for one walk, which ends its page when `isSpent` is true. */
export class WalkCost {
  private readonly startedAt: number;
  private events = 0;

  /** The time is measured from here on. */
  constructor(
    private readonly clock: Clock,
    private readonly budget: WalkBudget,
  ) {
    this.startedAt = clock.monotonic();
  }

  /** Counts an event that was read. */
  spend(): void {
    this.events += 1;
  }

  /** Whether the budget is used up. */
  get isSpent(): boolean {
    const { budget, clock, startedAt, events } = this;
    return events >= budget.events || clock.monotonic() - startedAt >= budget.milliseconds;
  }
}
