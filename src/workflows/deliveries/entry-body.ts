/**
 * Bodies of the entries that the server itself adds: the end of a wait, or of an invoked run. Pure.
 */
import type { InvocationEnded, WaitEnded } from '../run-state/run.events.js';

/**
 * The end of a wait (workflows.md 3.4): `out` is the notification's bytes in base64, and is absent
 * if these are empty or the wait timed out.
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
 * The end of an invoked run (workflows.md 3.6): `out` is JSON in a string, in which `body` is the
 * value that the run returned; it is absent if the run failed or was canceled.
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
