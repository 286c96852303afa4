/**
 * The entity of failed runs. A failed run exists because of its run's failure, so it is found among
 * the letters; its own stream holds only the event that removed it.
 */
import { Inject, Injectable } from '@nestjs/common';
import { Engine } from '../../engine/engine.js';
import { Entity } from '../../engine/entity.js';
import { provided } from '../../engine/provided.js';
import { LetterIndex } from '../../messaging/dead-letters/letter-index.js';
import { Messages } from '../../messaging/messages/message.entity.js';
import { Runs } from '../runs/run.entity.js';
import type { WorkflowSettings } from '../settings.js';
import type { FailedRunCommand } from './failed-run.commands.js';
import { type FailedRunState, failedRunDecider } from './failed-run.decider.js';
import type { FailedRunEvent } from './failed-run.events.js';
import { type FailedRun, FailedRunLetters } from './failed-runs.projection.js';

type Letters = Pick<LetterIndex<FailedRun>, 'find'>;

/**
 * Follows runs, and also messages, because the state of a failure callback is that of its message.
 */
@Injectable()
export class FailedRuns extends Entity<FailedRunState, FailedRunCommand, FailedRunEvent, Letters> {
  /** The failed runs that exist. */
  readonly letters: LetterIndex<FailedRun>;

  constructor(
    engine: Engine,
    runs: Runs,
    messages: Messages,
    @Inject(provided.config) settings: Pick<WorkflowSettings, 'deadLetterRetentionMs'>,
  ) {
    const letters = new LetterIndex<FailedRun>(settings.deadLetterRetentionMs);
    const failures = new FailedRunLetters(letters, runs);
    super(engine, { decider: failedRunDecider, view: letters, folds: [failures] });
    this.letters = letters;
    runs.follow(failures);
    messages.follow(failures);
  }
}
