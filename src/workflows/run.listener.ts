/** What durable run events mean beside the runs: what is about to be delivered is kept at hand. */
import type { EventListener } from '../engine/engine.js';
import type { Payloads } from '../engine/payloads.js';
import { type RunEvent, runKind } from './run.events.js';

/** Events that deliveries are put together from. */
const delivered: ReadonlySet<RunEvent['type']> = new Set([
  'RunStarted',
  'RunReconfigured',
  'StepStored',
  'WaitEnded',
  'InvocationEnded',
]);

export function runListener(payloads: Payloads): EventListener {
  return (envelopes) => {
    for (const envelope of envelopes) {
      if (envelope.kind !== runKind) continue;
      const { type } = envelope.event as RunEvent;
      if (delivered.has(type)) payloads.remember(envelope);
    }
  };
}
