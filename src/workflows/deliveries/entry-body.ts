/** The steps that the server itself submits: the end of a wait, or of an invoked run. Pure. */
import type { InvocationEnded, StepInfo, WaitEnded } from '../run-state/run.events.js';

/**
 * A wait's end (workflows.md 3.4): `out` is the base64 of what was notified with, and is not
 * there where that was nothing, or where the time was over.
 */
export function endedWaitBody(
  { step, eventId, isTimeout }: Pick<WaitEnded, 'step' | 'eventId' | 'isTimeout'>,
  notified: Buffer | null,
): Buffer {
  const isEmpty = notified === null || notified.length === 0;
  return json({
    ...stepFields(step),
    waitEventId: eventId,
    ...(isTimeout && { waitTimeout: true }),
    ...(!isEmpty && { out: notified.toString('base64') }),
  });
}

/**
 * An invoked run's end (workflows.md 3.6): `out` is JSON as text, in which `body` is what
 * the run returned and is not there where it failed or was canceled.
 */
export function endedInvocationBody(
  { step, runId, outcome }: Pick<InvocationEnded, 'step' | 'runId' | 'outcome'>,
  returned: Buffer | null,
): Buffer {
  const out = {
    workflowRunId: runId,
    ...(outcome === 'succeeded' && { body: returned?.toString() ?? '' }),
    isCanceled: outcome === 'canceled',
    isFailed: outcome === 'failed',
  };
  return json({ ...stepFields(step), out: JSON.stringify(out) });
}

function stepFields({ id, name, type, concurrent }: StepInfo) {
  return { stepId: id, stepName: name, stepType: type, concurrent };
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
