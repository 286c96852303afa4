/** What operators see of workflow runs. */
import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** How a workflow run ended. */
export type RunOutcome = 'succeeded' | 'failed' | 'canceled';

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

  started(): void {
    this.#started.inc();
  }

  ended(outcome: RunOutcome): void {
    this.#ended.inc({ outcome });
  }
}
