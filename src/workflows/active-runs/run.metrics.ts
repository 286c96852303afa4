/** What operators see of workflow runs. */
import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { RunEvent } from '../run-state/run.events.js';
import { endNames } from '../run-state/run-state-name.policy.js';

/** How a workflow run is shown to have ended. */
const outcomes: Partial<Record<RunEvent['type'], string>> = endNames;

/** Made of durable events; a run that is resumed counts as one more that was started. */
@Injectable()
export class RunMetrics {
  readonly #started: Counter;
  readonly #ended: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#started = new Counter({
      name: 'stepwell_runs_started_total',
      help: 'Workflow runs started.',
      registers,
    });
    this.#ended = new Counter({
      name: 'stepwell_runs_ended_total',
      help: 'Workflow runs ended, by how.',
      labelNames: ['outcome'],
      registers,
    });
  }

  /** What `listener` observes. */
  readonly interest: Interest<RunEvent> = {
    types: { RunStarted: true, RunSucceeded: true, RunFailed: true, RunCanceled: true },
  };

  /** Counts runs that begin and end. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const { event } of envelopes) {
      const outcome = outcomes[event.type];
      if (outcome !== undefined) this.#ended.inc({ outcome });
      if (event.type === 'RunStarted') this.#started.inc();
    }
  };
}
