/** How far a step of a run has come (workflows.md 5.1). Pure. */
import type { HistoryMessage } from '../history/run-history.js';
import type { Slot, SlotGroup } from './run-slots.js';
import type { StepState } from './run-step-object.js';
import type { RunSurroundings } from './run-surroundings.js';
import type { SlotMessages } from './slot-messages.js';

const sleeps: ReadonlySet<string> = new Set(['SleepFor', 'SleepUntil']);

/** `hasEnded` tells of the run: nothing of it goes on behind its end. */
export function slotState(
  slot: Slot,
  group: SlotGroup,
  messages: SlotMessages,
  around: RunSurroundings,
  hasEnded: boolean,
): StepState {
  const { result, opening } = slot;
  if (result !== null) return resultState(slot, messages.delivery(result.index), around);
  if (opening?.kind === 'invocation') {
    // A run that was invoked goes on to its end, whatever becomes of its invoker.
    const end = around.children.get(opening.runId)?.end ?? null;
    if (end !== null) return 'STEP_SUCCESS';
    if (hasEnded) return 'STEP_PROGRESS';
  }
  if (messages.carrier(slot, group)?.status === 'failed') return 'STEP_FAILED';
  const awaited = opening === null || opening.kind === 'call' ? messages.latest(slot) : undefined;
  const state = awaited === undefined ? 'STEP_PROGRESS' : messageState(awaited, around);
  return hasEnded && state !== 'STEP_FAILED' ? 'STEP_CANCELED' : state;
}

/** What a message that has brought nothing yet says of its step. */
export function messageState(
  { status, failures, published }: HistoryMessage,
  { running }: RunSurroundings,
): StepState {
  // A third party that fails has answered: the endpoint is told of that.
  if (status === 'failed' && published.event.run?.role !== 'call') return 'STEP_FAILED';
  if (status === 'canceled') return 'STEP_CANCELED';
  const isWaiting = status === 'pending' && !running.has(published.id);
  return isWaiting && failures.length > 0 ? 'STEP_RETRY' : 'STEP_PROGRESS';
}

/** A result is there for good; but a sleep is over only when it is told of. */
function resultState(
  { step }: Slot,
  delivery: HistoryMessage | undefined,
  { now }: RunSurroundings,
): StepState {
  if (delivery === undefined || !sleeps.has(step.type)) return 'STEP_SUCCESS';
  const { status, published, endedAt } = delivery;
  const { notBefore } = published.event;
  if (status === 'pending' && now < notBefore) return 'STEP_PROGRESS';
  const isCut = status === 'canceled' && endedAt !== null && endedAt < notBefore;
  return isCut ? 'STEP_CANCELED' : 'STEP_SUCCESS';
}
