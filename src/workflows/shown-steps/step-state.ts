/** The state of a step of a run (workflows.md 5.1). Pure. */
import type { HistoryMessage } from '../history/run-history.js';
import { sleepStepTypes } from '../run-state/known-steps.js';
import type { RunSurroundings } from './run-surroundings.js';
import type { RunStep, StepGroup } from './step-groups.js';
import type { StepMessages } from './step-messages.js';
import type { StepState } from './step-object.js';

/** `hasEnded`: whether the run has ended, and with it everything that its steps did. */
export function stepState(
  step: RunStep,
  group: StepGroup,
  messages: StepMessages,
  around: RunSurroundings,
  hasEnded: boolean,
): StepState {
  const { result, opening } = step;
  if (result !== null) return resultState(step, messages.delivery(result.place), around);
  if (opening?.kind === 'invocation') {
    // An invoked run continues to its end, whatever happens to its invoker.
    const end = around.children.get(opening.messageId)?.end ?? null;
    if (end !== null) return 'STEP_SUCCESS';
    if (hasEnded) return 'STEP_PROGRESS';
  }
  if (messages.carrier(step, group)?.status === 'failed') return 'STEP_FAILED';
  const awaited = opening === null || opening.kind === 'call' ? messages.latest(step) : undefined;
  const state = awaited === undefined ? 'STEP_PROGRESS' : messageState(awaited, around);
  return hasEnded && state !== 'STEP_FAILED' ? 'STEP_CANCELED' : state;
}

/** The state of a step whose message has not led to a result yet. */
export function messageState(
  { status, failures, published }: HistoryMessage,
  { running }: RunSurroundings,
): StepState {
  // A failed call also has an answer, which goes to the endpoint.
  if (status === 'failed' && published.event.run?.role !== 'call') return 'STEP_FAILED';
  if (status === 'canceled') return 'STEP_CANCELED';
  const isWaiting = status === 'pending' && !running.has(published.id);
  return isWaiting && failures.length > 0 ? 'STEP_RETRY' : 'STEP_PROGRESS';
}

/**
 * The state of a step with a result: success, except that a sleep ends only when its delivery is
 * due.
 */
function resultState(
  { info }: RunStep,
  delivery: HistoryMessage | undefined,
  { now }: RunSurroundings,
): StepState {
  if (delivery === undefined || !sleepStepTypes.has(info.type)) return 'STEP_SUCCESS';
  const { status, published, endedAt } = delivery;
  const { notBefore } = published.event;
  if (status === 'pending' && now < notBefore) return 'STEP_PROGRESS';
  const isCut = status === 'canceled' && endedAt !== null && endedAt < notBefore;
  return isCut ? 'STEP_CANCELED' : 'STEP_SUCCESS';
}
