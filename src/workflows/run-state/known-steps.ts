/** Step types that the server handles specially. */
import type { StepInfo } from './run.events.js';

/** The type of a step whose result is a value that the endpoint's code has returned. */
export const runStepType = 'Run';

/** The type of a step that calls a third party. */
export const callStepType = 'Call';

/** The types of steps that sleep. */
export const sleepStepTypes: ReadonlySet<string> = new Set(['SleepFor', 'SleepUntil']);

/** The type of a step whose result is a URL that a third party may call. */
export const webhookStepType = 'CreateWebhook';

/**
 * Whether a step is the result of a `CreateWebhook` step; the plan of a parallel step announces no
 * webhook yet.
 */
export function announcesWebhook({ type, target }: StepInfo): boolean {
  return type === webhookStepType && target === null;
}

/** The type of a step that waits for a webhook call; a call can end no other wait. */
export const callWaitStepType = 'WaitForWebhook';

/** The step that stands for a run's payload. */
export const initialStep: StepInfo = {
  id: 0,
  name: 'init',
  type: 'Initial',
  concurrent: 1,
  target: null,
};
