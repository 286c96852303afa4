/** The metrics of workflow runs. */
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type Tally, tallyCounter } from '../../engine/metrics/tallies.js';
import type { EventListener, Interest } from '../../engine/registration.js';
import type { RunEvent } from '../run-state/run.events.js';
import { endNames } from '../run-state/run-state-name.policy.js';

/** Counts durable events; a resumed run counts as another started run. */
@Injectable()
export class RunMetrics {
  readonly #started: Tally;
  /** The counter of each outcome, by the type of the run's last event. */
  readonly #ended: ReadonlyMap<string, Tally>;

  constructor(registry: Registry) {
    this.#started = tallyCounter(registry, {
      name: 'stepwell_runs_started_total',
      help: 'Workflow runs started.',
      labelNames: [],
    }).tally({});
    const ended = tallyCounter(registry, {
      name: 'stepwell_runs_ended_total',
      help: 'Workflow runs ended, by outcome.',
      labelNames: ['outcome'],
    });
    const outcomes = Object.entries(endNames);
    for (const [, outcome] of outcomes) ended.inc({ outcome }, 0);
    this.#ended = new Map(outcomes.map(([type, outcome]) => [type, ended.tally({ outcome })]));
  }

  /** The events that `listener` observes. */
  readonly interest: Interest<RunEvent> = {
    types: { RunStarted: true, RunSucceeded: true, RunFailed: true, RunCanceled: true },
  };

  /** Counts runs that start and runs that end. */
  readonly listener: EventListener<RunEvent> = (envelopes) => {
    for (const { event } of envelopes) {
      this.#ended.get(event.type)?.count();
      if (event.type === 'RunStarted') this.#started.count();
    }
  };
}
