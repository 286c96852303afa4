/** What must hold of waits, invocations and acknowledged commands; each rule throws what breaks it. */

import { stepKey } from '../../src/workflows/entry-list.js';
import type { StartReceipt, StepReceipt } from '../../src/workflows/run.commands.js';
import type { StepInfo, WaitEnded } from '../../src/workflows/run.events.js';
import { holds } from './holds.js';
import type { Recorded, RunHistories, RunHistory } from './workflow-history.js';
import type { WorkflowSimulation } from './workflow-rules.js';

type StepCommand = { readonly id: string; readonly step: StepInfo };

/**
 * A wait is ended by an event or by its deadline, never by both and never early; only the end of its
 * run spares it that.
 */
export function waitsEndOnce({ world }: WorkflowSimulation, { id, events, end }: RunHistory): void {
  const ended = events.filter(({ event }) => event.type === 'WaitEnded') as Recorded<WaitEnded>[];
  for (const { event } of events) {
    if (event.type !== 'WaitOpened') continue;
    const { step, deadline, eventId } = event;
    const [wait, ...others] = ended.filter((each) => each.event.step.id === step.id);
    const isSpared = end !== null && end.event.type !== 'RunSucceeded';
    const isEnded = wait !== undefined || isSpared;
    holds([id, step], { others, isEnded }, { others: [], isEnded: true });
    if (wait === undefined) continue;
    const { isTimeout, notificationId } = wait.event;
    const told = world.notified.some((each) => each.eventId === eventId && each.at === wait.at);
    if (isTimeout) holds([id, step], { isEarly: wait.at < deadline }, { isEarly: false });
    else if (notificationId !== null) holds([id, step], { told }, { told: true });
  }
}

/** Events that came early are taken by later waits, each by one, in the order in which they came. */
export function earlyEventsAreTakenInOrder({ id, events }: RunHistory): void {
  const stored = new Map<string, number[]>();
  for (const [index, { event, offset }] of events.entries()) {
    if (event.type === 'NotificationStored') {
      stored.set(event.eventId, [...(stored.get(event.eventId) ?? []), offset]);
    }
    if (event.type !== 'WaitOpened') continue;
    const first = stored.get(event.eventId)?.shift();
    const next = events[index + 1]?.event;
    const taken = next?.type === 'WaitEnded' ? next.notificationOffset : null;
    if (first !== undefined) holds([id, event.step], { taken }, { taken: first });
  }
}

/** An event that was told reaches everybody who was known to wait for it. */
export function toldEventsArrive(
  { world, acknowledged }: WorkflowSimulation,
  histories: RunHistories,
): void {
  for (const { eventId, runId, at, acknowledgedBefore, isHeard } of world.notified) {
    if (!isHeard) continue;
    for (const { command } of acknowledged.slice(0, acknowledgedBefore)) {
      if (command.type !== 'OpenWait' || (runId !== null && runId !== command.id)) continue;
      const wait = command as unknown as StepCommand & { readonly eventId: string };
      const history = histories.get(wait.id);
      if (wait.eventId !== eventId || history === undefined) continue;
      const ended = history.events.find(
        ({ event }) => event.type === 'WaitEnded' && event.step.id === wait.step.id,
      );
      const never = Number.POSITIVE_INFINITY;
      const endedAt = Math.min(ended?.at ?? never, history.end?.at ?? never);
      holds([wait.id, wait.step, eventId], { isOver: endedAt <= at }, { isOver: true });
    }
  }
}

const outcomes = {
  RunSucceeded: 'succeeded',
  RunFailed: 'failed',
  RunCanceled: 'canceled',
} as const;

/** Each invocation has one child, whose end its parent hears once, if it still listens. */
export function parentsHearOfChildren(histories: RunHistories): void {
  const invoked = new Set<string>();
  for (const { id, events, end } of histories.values()) {
    const heard = events.flatMap(({ event }) => (event.type === 'InvocationEnded' ? [event] : []));
    for (const { event } of events) {
      if (event.type !== 'StepInvoked') continue;
      const { runId, step } = event;
      invoked.add(runId);
      const child = histories.get(runId);
      const { invoker } = child?.started.event ?? { invoker: null };
      holds([id, runId], [invoker?.runId, invoker?.step], [id, step]);
      const childEnd = child?.end ?? null;
      const isHeard = childEnd !== null && childEnd.offset < (end?.offset ?? 0);
      const told = heard
        .filter((other) => other.runId === runId)
        .map(({ outcome, endOffset, step: own }) => ({ outcome, endOffset, step: own }));
      const expected = { endOffset: childEnd?.offset, step };
      const outcome = childEnd === null ? null : outcomes[childEnd.event.type];
      holds([id, runId], told, isHeard ? [{ outcome, ...expected }] : []);
    }
    holds(
      id,
      heard.filter(({ runId }) => !invoked.has(runId)),
      [],
    );
  }
  const children = [...histories.values()].filter(({ started }) => started.event.invoker !== null);
  holds('children', children.map(({ id }) => id).sort(), [...invoked].sort());
}

/** What was acknowledged has happened, as it was told; the first of two is what is kept. */
export function acknowledgedIsKept(
  { acknowledged }: WorkflowSimulation,
  histories: RunHistories,
): void {
  for (const { command, result } of acknowledged) {
    const history = histories.get(command.id);
    const end = history?.end?.event.type;
    switch (command.type) {
      case 'StartRun': {
        const { messageId } = result as StartReceipt;
        const isKept = history?.messages.some(({ id }) => id === messageId);
        holds([command.id, messageId], { isKept }, { isKept: true });
        break;
      }
      case 'SubmitStep':
      case 'RequestCall':
      case 'OpenWait':
      case 'InvokeRun':
        stepIsKept(command as unknown as StepCommand, result as StepReceipt, history);
        break;
      case 'EndRun':
        holds([command.id, end], { isOver: end !== undefined }, { isOver: true });
        break;
      case 'CancelRun':
        holds(command.id, end, 'RunCanceled');
    }
  }
}

function stepIsKept(
  { id, step }: StepCommand,
  { messageId }: StepReceipt,
  history: RunHistory | undefined,
): void {
  const kept = (history?.events ?? []).flatMap(({ event }) =>
    'step' in event && stepKey(event.step) === stepKey(step) ? [event] : [],
  );
  // A wait that is open has no message yet.
  const names = kept.map((event) => ('messageId' in event ? event.messageId : null));
  holds([id, step, names, messageId], { isKept: names.includes(messageId) }, { isKept: true });
}
