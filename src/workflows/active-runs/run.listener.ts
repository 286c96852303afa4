/** What durable run events mean beside the runs: payloads at hand, counts, warnings. */
import { Inject, Injectable } from '@nestjs/common';
import { Payloads } from '../../engine/payloads.js';
import type { EventListener } from '../../engine/subscribers.js';
import type { RunEvent } from '../run-state/run.events.js';
import { endNames } from '../run-state/run-state-name.policy.js';
import { Runs } from '../runs/run.entity.js';
import { LongHistories } from './long-histories.js';
import { RunMetrics, type RunOutcome } from './run.metrics.js';

/** Events that deliveries are put together from. */
const delivered: ReadonlySet<RunEvent['type']> = new Set([
  'RunStarted',
  'RunReconfigured',
  'StepStored',
  'WaitEnded',
  'InvocationEnded',
]);

const outcomes: Partial<Record<RunEvent['type'], RunOutcome>> = endNames;

@Injectable()
export class RunListener {
  constructor(
    private readonly payloads: Payloads,
    @Inject(Runs) private readonly runs: Pick<Runs, 'active'>,
    private readonly histories: LongHistories,
    private readonly metrics: RunMetrics,
  ) {}

  readonly listen: EventListener<RunEvent> = (envelopes) => {
    for (const envelope of envelopes) {
      const { id, event } = envelope;
      if (event.type === 'RunStarted') this.metrics.started();
      const outcome = outcomes[event.type];
      if (outcome !== undefined) {
        this.metrics.ended(outcome);
        this.histories.ended(id);
      }
      if (!delivered.has(event.type)) continue;
      this.payloads.remember(envelope);
      const run = this.runs.active(id);
      if (run !== undefined) this.histories.grown(id, run.entries);
    }
  };
}
