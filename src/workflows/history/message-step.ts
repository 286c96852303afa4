/** Finds the step that a message of a run is about. Pure. */
import type { RunPlace } from '../../messaging/messages/message.events.js';
import { initialStep } from '../run-state/known-steps.js';
import { type RunEvent, type StepInfo } from '../run-state/run.events.js';

/**
 * `event` is the event of the run at the message's `eventOffset`. Returns null for a failure
 * callback, which is about no step: it reports that the run has failed.
 */
export function stepOfMessage({ role }: RunPlace, event: RunEvent): StepInfo | null {
  if (role === 'failureCallback') return null;
  return 'step' in event ? event.step : initialStep;
}
