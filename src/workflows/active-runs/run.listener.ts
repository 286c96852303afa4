/** What durable run events mean beside the runs: payloads at hand, counts, warnings. */
import type { Payloads } from '../../engine/payloads.js';
import type { EventListener } from '../../engine/subscribers.js';
import type { EntryList } from '../run-state/entry-list.js';
import type { RunEvent } from '../run-state/run.events.js';
import type { LongHistories } from './long-histories.js';
import type { RunMetrics, RunOutcome } from './run.metrics.js';

/** Events that deliveries are put together from. */
const delivered: ReadonlySet<RunEvent['type']> = new Set([
  'RunStarted',
  'RunReconfigured',
  'StepStored',
  'WaitEnded',
  'InvocationEnded',
]);

const outcomes: Partial<Record<RunEvent['type'], RunOutcome>> = {
  RunSucceeded: 'succeeded',
  RunFailed: 'failed',
  RunCanceled: 'canceled',
};

/** `entriesOf` tells the entries of a run that is active. */
export function runListener(
  payloads: Payloads,
  entriesOf: (runId: string) => EntryList | undefined,
  histories: LongHistories,
  metrics: RunMetrics,
): EventListener<RunEvent> {
  return (envelopes) => {
    for (const envelope of envelopes) {
      const { type } = envelope.event;
      if (type === 'RunStarted') metrics.started();
      const outcome = outcomes[type];
      if (outcome !== undefined) {
        metrics.ended(outcome);
        histories.ended(envelope.id);
      }
      if (!delivered.has(type)) continue;
      payloads.remember(envelope);
      const entries = entriesOf(envelope.id);
      if (entries !== undefined) histories.grown(envelope.id, entries);
    }
  };
}
