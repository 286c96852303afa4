/** What durable run events mean beside the runs: payloads at hand, counts, warnings. */
import type { EventListener } from '../../engine/engine.js';
import type { Payloads } from '../../engine/payloads.js';
import type { EntryList } from '../run-state/entry-list.js';
import { type RunEvent, runKind } from '../run-state/run.events.js';
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
): EventListener {
  return (envelopes) => {
    for (const envelope of envelopes) {
      if (envelope.kind !== runKind) continue;
      const { type } = envelope.event as RunEvent;
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
