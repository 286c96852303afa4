/** What durable run events mean beside the runs: payloads at hand, long histories told of. */
import type { EventListener } from '../engine/engine.js';
import type { Payloads } from '../engine/payloads.js';
import type { EntryList } from './entry-list.js';
import type { LongHistories } from './long-histories.js';
import { type RunEvent, runKind } from './run.events.js';

/** Events that deliveries are put together from. */
const delivered: ReadonlySet<RunEvent['type']> = new Set([
  'RunStarted',
  'RunReconfigured',
  'StepStored',
  'WaitEnded',
  'InvocationEnded',
]);

const ends: ReadonlySet<RunEvent['type']> = new Set(['RunSucceeded', 'RunFailed', 'RunCanceled']);

/** `entriesOf` tells the entries of a run that is active. */
export function runListener(
  payloads: Payloads,
  entriesOf: (runId: string) => EntryList | undefined,
  histories: LongHistories,
): EventListener {
  return (envelopes) => {
    for (const envelope of envelopes) {
      if (envelope.kind !== runKind) continue;
      const { type } = envelope.event as RunEvent;
      if (ends.has(type)) histories.ended(envelope.id);
      if (!delivered.has(type)) continue;
      payloads.remember(envelope);
      const entries = entriesOf(envelope.id);
      if (entries !== undefined) histories.grown(envelope.id, entries);
    }
  };
}
