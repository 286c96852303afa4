/** Steps that the server itself knows, by their types. */
import type { StepInfo } from './run.events.js';

/** A step whose result names the URL that a third party may call. */
const webhookStepType = 'CreateWebhook';

/** Whether it is such a result; the plan of a parallel one announces nothing yet. */
export function announcesWebhook({ type, target }: StepInfo): boolean {
  return type === webhookStepType && target === null;
}

/** The wait for such a call, which is the only one that a call may end. */
export const callWaitStepType = 'WaitForWebhook';

/** The step that a run's payload is. */
export const initialStep: StepInfo = {
  id: 0,
  name: 'init',
  type: 'Initial',
  concurrent: 1,
  target: null,
};
