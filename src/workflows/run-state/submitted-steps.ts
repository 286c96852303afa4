/** Which deliveries of a run have done their work, also if they were never answered. Pure. */
import type { RunPlace } from '../../messaging/messages/message.events.js';
import type { RunEntry } from './run.events.js';

/**
 * Reads from the entries of a run which deliveries have led to the next entry. The endpoint submits
 * a step before it answers, so a run can fail while such a delivery is still unanswered. If a
 * resumed run repeated it, the endpoint would run the finished step again: it gets only the entries
 * up to the delivery's own.
 */
export class SubmittedSteps {
  /** The ids of the steps with a result, and those that a plan announced: parallel branches. */
  private readonly results = new Set<number>();
  private readonly branches = new Set<number>();

  constructor(private readonly entries: readonly RunEntry[]) {
    for (const { step } of entries) {
      if (step.target === null) this.results.add(step.id);
      else this.branches.add(step.target);
    }
  }

  /** Whether the delivery at this place has submitted what follows its own entry. */
  include(place: Pick<RunPlace, 'role' | 'entry'> | null): boolean {
    const own = place?.role === 'step' ? this.entries[place.entry] : undefined;
    if (place === null || own === undefined) return false;
    const { target } = own.step;
    if (target !== null) return this.results.has(target);
    const next = this.entries[place.entry + 1]?.step;
    // The delivery of its plan submits the result of a branch.
    return next !== undefined && (next.target !== null || !this.branches.has(next.id));
  }
}
