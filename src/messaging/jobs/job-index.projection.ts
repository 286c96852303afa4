/** Counts the jobs that have not ended, and knows which one ended first. */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Fold, FoldMemory } from '../../engine/registration.js';
import type { TurnChanges } from '../../engine/turn-changes.js';
import type { JobView } from './job.decider.js';
import type { JobEvent } from './job.events.js';

/** A part of memory, which limits how many jobs there may be and how many ended ones are kept. */
export class JobIndex implements Fold<JobEvent>, JobView {
  /** Creation time by job, Unix milliseconds. */
  private readonly active = new Map<string, number>();
  /** End time by job. */
  private readonly ended = new Map<string, number>();
  readonly memory: FoldMemory = {
    name: 'jobs',
    maps: { active: this.active, ended: this.ended },
  };

  get unfinished(): number {
    return this.active.size;
  }

  /** How many jobs have ended and are still shown. */
  get kept(): number {
    return this.ended.size;
  }

  /** The job that ended first. */
  get firstEnded(): string | undefined {
    let first: string | undefined;
    let firstAt = Number.POSITIVE_INFINITY;
    for (const [id, at] of this.ended) {
      if (at >= firstAt) continue;
      first = id;
      firstAt = at;
    }
    return first;
  }

  evolve({ id, at, event }: EventEnvelope<JobEvent>, changes: TurnChanges): void {
    switch (event.type) {
      case 'JobCreated':
        changes.set(this.active, id, at);
        break;
      case 'JobFinished':
      case 'JobAborted':
        changes.delete(this.active, id);
        changes.set(this.ended, id, at);
        break;
      case 'JobForgotten':
        changes.delete(this.ended, id);
        break;
      case 'JobAdvanced':
    }
  }
}
