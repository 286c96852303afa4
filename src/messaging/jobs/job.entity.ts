/** The jobs in memory. */
import { Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import type { JobCommand } from './job.commands.js';
import { type JobView, jobDecider } from './job.decider.js';
import type { JobEvent } from './job.events.js';
import type { JobState } from './job.machine.js';
import { JobIndex } from './job-index.projection.js';

/** Ended jobs stay for a while, to be shown, and are forgotten by an effect of their own. */
@Injectable()
export class Jobs extends Entity<JobState, JobCommand, JobEvent, JobView> {
  /** How many jobs there are, by whether they have ended. */
  readonly counts: Pick<JobIndex, 'unfinished' | 'kept' | 'firstEnded'>;

  constructor(engine: Engine) {
    const index = new JobIndex();
    super(engine, { decider: jobDecider, view: index, folds: [index] });
    this.counts = index;
  }
}
