/** The steps that the server itself submits: the end of a wait, or of an invoked run. Pure. */
import type { InvocationEnded, WaitEnded } from '../run-state/run.events.js';

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
    stepId: step.id,
    stepName: step.name,
    stepType: step.type,
    concurrent: step.concurrent,
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
  const isCanceled = outcome === 'canceled';
  const isFailed = outcome === 'failed';
  const ended =
    outcome === 'succeeded'
      ? { workflowRunId: runId, body: returned?.toString() ?? '', isCanceled, isFailed }
      : { workflowRunId: runId, isCanceled, isFailed };
  return json({
    stepId: step.id,
    stepName: step.name,
    stepType: step.type,
    concurrent: step.concurrent,
    out: JSON.stringify(ended),
  });
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
