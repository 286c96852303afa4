/** The decisions of an active run about its waits for events (workflows.md 3.4 and 3.5). Pure. */
import { accept, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import { callWaitStepType } from '../run-state/known-steps.js';
import type {
  EndWait,
  OpenWaitForEvent,
  StepReceipt,
  StoreNotification,
} from '../run-state/run.commands.js';
import type { RunContext } from '../run-state/run.context.js';
import {
  type OpenWait,
  type RunEvent,
  type StepInfo,
  type StoredNotification,
} from '../run-state/run.events.js';
import { overflowOfEnd, overflowOfOpen, repeatOf } from './history-bounds.policy.js';
import type { RunView } from './run-view.js';

/** The most events that a run keeps for later waits; no run needs more in practice. */
const notificationsMax = 1000;

/**
 * The most webhook calls that a run keeps for later waits, counted apart from its events, because
 * the callers are unauthenticated. A single call may be larger, up to the limit of a request body.
 */
const keptCallsMax = { count: 100, bytes: 16 * 1024 * 1024 } as const;

/** Whether an event, or a call of a webhook, may end this wait. */
export function isEndedBy({ step }: Pick<OpenWait, 'step'>, isCall: boolean): boolean {
  return !isCall || step.type === callWaitStepType;
}

/**
 * A submission that repeats an earlier one is accepted without an event. Refused if the history of
 * the run has no room left.
 */
export function openWait(command: OpenWaitForEvent, context: RunContext): Decision<RunEvent> {
  const { step, eventId, timeout, deadline, messageId } = command;
  const repeated = repeatOf(step, context, context.calls);
  if (repeated !== null) return repeated;
  const opened: RunEvent = { type: 'WaitOpened', step, eventId, timeout, deadline };
  const stored = context.notifications.find(
    (kept) => kept.eventId === eventId && isEndedBy(command, kept.isCall === true),
  );
  const bytes = stored === undefined ? 0 : endedWaitBytes(step, eventId, stored.bytes);
  const full = overflowOfOpen(context, bytes);
  if (full !== null) return full;
  if (stored === undefined) return accept([opened], { messageId: null } satisfies StepReceipt);
  const ended: RunEvent = {
    type: 'WaitEnded',
    step,
    eventId,
    messageId,
    isTimeout: false,
    notificationId: null,
    notificationOffset: stored.offset,
    bytes,
  };
  return accept([opened, ended], { messageId } satisfies StepReceipt);
}

/**
 * Refused as `conflict` if the wait has ended, and as `over_limit` if a notification does not fit
 * the history (ADR 95).
 */
export function endWait(command: EndWait, context: RunContext, view: RunView): Decision<RunEvent> {
  const { stepId, waitOffset, messageId, notification } = command;
  const wait = context.waits.find(
    ({ step, offset }) => step.id === stepId && offset === waitOffset,
  );
  if (wait === undefined) return new Refusal('conflict', 'the wait has ended');
  const { step, eventId } = wait;
  const body = notification?.body ?? null;
  const isEmpty = body === null || body.length === 0;
  const bytes = endedWaitBytes(step, eventId, body?.length ?? 0);
  // A timeout always fits: a wait that cannot end would block the run forever.
  const full = notification === null ? null : overflowOfEnd(context, bytes);
  if (full !== null) return full;
  const notificationOffset =
    isEmpty || notification === null
      ? null
      : (notification.offset ?? view.notificationOffset(notification.id));
  return accept(
    [
      {
        type: 'WaitEnded',
        step,
        eventId,
        messageId,
        isTimeout: notification === null,
        notificationId: notification?.id ?? null,
        notificationOffset,
        bytes,
      },
    ],
    { messageId } satisfies StepReceipt,
    isEmpty || notificationOffset !== null ? null : body,
  );
}

/**
 * Refused as `conflict` if the run waits for the event after all, and as `unavailable` or
 * `over_limit` if it already keeps too many.
 */
export function storeNotification(
  { eventId, body, isCall }: StoreNotification,
  { waits, notifications }: RunContext,
): Decision<RunEvent> {
  if (waits.some((wait) => wait.eventId === eventId && isEndedBy(wait, isCall))) {
    return new Refusal('conflict', `the run waits for ${eventId}`);
  }
  const calls = notifications.filter((kept) => kept.isCall === true);
  if (isCall && isFull(calls, body.length)) {
    return new Refusal('unavailable', 'the run has not waited for earlier calls of its webhooks');
  }
  if (!isCall && notifications.length - calls.length >= notificationsMax) {
    return new Refusal(
      'over_limit',
      `the run has not waited for ${notificationsMax} earlier events`,
    );
  }
  const stored: RunEvent = {
    type: 'NotificationStored',
    eventId,
    bytes: body.length,
    ...(isCall && { isCall }),
  };
  return accept([stored], null, body);
}

/** Whether there is no room to keep another call of this size. */
function isFull(calls: readonly StoredNotification[], bytes: number): boolean {
  const kept = calls.reduce((sum, call) => sum + call.bytes, 0);
  const isOverBytes = calls.length > 0 && kept + bytes > keptCallsMax.bytes;
  return calls.length >= keptCallsMax.count || isOverBytes;
}

/** Approximate bytes of the entry of an ended wait: its event is base64 in the step's JSON. */
function endedWaitBytes({ name }: StepInfo, eventId: string, bytes: number): number {
  return 128 + name.length + eventId.length + Math.ceil((bytes * 4) / 3);
}
