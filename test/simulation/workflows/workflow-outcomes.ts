/** What must hold of waits, invocations and acknowledged commands: rules throw what breaks them. */

import { stepKey } from '../../../src/workflows/run-state/entry-list.js';
import type { StartReceipt, StepReceipt } from '../../../src/workflows/run-state/run.commands.js';
import type { StepInfo, WaitEnded } from '../../../src/workflows/run-state/run.events.js';
import { holds } from '../holds.js';
import type { Recorded, RunHistories, RunHistory } from './workflow-history.js';
import { heirOf } from './workflow-revivals.js';
import type { WorkflowSimulation } from './workflow-rules.js';

type StepCommand = { readonly id: string; readonly step: StepInfo };

/**
 * A wait is ended by an event or by its deadline, never by both and never early; only the end of
 * its run spares it that.
 */
export function waitsEndOnce(
  { world }: WorkflowSimulation,
  { id, events, end, started }: RunHistory,
): void {
  const ended = events.filter(({ event }) => event.type === 'WaitEnded') as Recorded<WaitEnded>[];
  const opened = events.flatMap(({ event }) => (event.type === 'WaitOpened' ? [event] : []));
  const inherited = started.event.inherited?.waits ?? [];
  for (const { step, deadline, eventId } of [...inherited, ...opened]) {
    const [wait, ...others] = ended.filter((each) => each.event.step.id === step.id);
    const isSpared = end !== null && end.event.type !== 'RunSucceeded';
    const isEnded = wait !== undefined || isSpared;
    holds([id, step], { others, isEnded }, { others: [], isEnded: true });
    if (wait === undefined) continue;
    const { isTimeout, notificationId } = wait.event;
    const isNotified = world.notified.some(
      (each) => each.eventId === eventId && each.at === wait.at,
    );
    if (isTimeout) holds([id, step], { isEarly: wait.at < deadline }, { isEarly: false });
    else if (notificationId !== null) holds([id, step], { isNotified }, { isNotified: true });
  }
}

/** Events that came early are taken by later waits, each by one, in the order in they came. */
export function earlyEventsAreTakenInOrder({ id, events, started }: RunHistory): void {
  const stored = new Map<string, number[]>();
  for (const { eventId, offset } of started.event.inherited?.notifications ?? []) {
    stored.set(eventId, [...(stored.get(eventId) ?? []), offset]);
  }
  for (const [index, { event, offset }] of events.entries()) {
    if (event.type === 'NotificationStored') {
      stored.set(event.eventId, [...(stored.get(event.eventId) ?? []), offset]);
    }
    if (event.type !== 'WaitOpened') continue;
    const first = stored.get(event.eventId)?.shift() ?? null;
    const next = events[index + 1]?.event;
    // What is sent to those who wait already has a name.
    const isEarly = next?.type === 'WaitEnded' && !next.isTimeout && next.notificationId === null;
    holds([id, event.step], { taken: isEarly ? next.notificationOffset : null }, { taken: first });
  }
}

/** A notification reaches every run that was known to wait for its event. */
export function notifiedEventsArrive(
  { world, acknowledged }: WorkflowSimulation,
  histories: RunHistories,
): void {
  for (const { eventId, runId, at, acknowledgedBefore, isHeard } of world.notified) {
    if (!isHeard) continue;
    for (const { command } of acknowledged.slice(0, acknowledgedBefore)) {
      if (command.type !== 'OpenWait' || (runId !== null && runId !== command.id)) continue;
      const wait = command as unknown as StepCommand & { readonly eventId: string };
      if (wait.eventId !== eventId) continue;
      const isOver = isWaitOver(histories.get(wait.id), wait.step, at);
      holds([wait.id, wait.step, eventId], { isOver }, { isOver: true });
      if (runId === null) heirsHear(histories, wait, at);
    }
  }
}

/** A run that goes on for another one waits for what that one waited for. */
function heirsHear(histories: RunHistories, { id, step }: StepCommand, at: number): void {
  const history = histories.get(id);
  const heir = history && heirOf(histories, history);
  if (heir === undefined || heir.started.at >= at) return;
  const waits = heir.started.event.inherited?.waits ?? [];
  if (!waits.some((wait) => wait.step.id === step.id)) return;
  holds([heir.id, step], { isOver: isWaitOver(heir, step, at) }, { isOver: true });
  heirsHear(histories, { id: heir.id, step }, at);
}

/** What a run has inherited may be the end of a wait, too. */
function isWaitOver(run: RunHistory | undefined, step: StepInfo, at: number): boolean {
  const ended = run?.entries.find(
    ({ event: { event } }) => event.type === 'WaitEnded' && event.step.id === step.id,
  );
  const never = Number.POSITIVE_INFINITY;
  return Math.min(ended?.event.at ?? never, run?.end?.at ?? never) <= at;
}

const outcomes = {
  RunSucceeded: 'succeeded',
  RunFailed: 'failed',
  RunCanceled: 'canceled',
} as const;

/** Each invocation has one child, whose end its parent hears once, if it still listens. */
export function parentsHearOfChildren(histories: RunHistories): void {
  const invoked = new Set<string>();
  for (const { id, events, end, started } of histories.values()) {
    const heard = events.flatMap(({ event }) => (event.type === 'InvocationEnded' ? [event] : []));
    const own = events.flatMap(({ event }) => (event.type === 'StepInvoked' ? [event] : []));
    for (const { runId, step } of own) {
      invoked.add(runId);
      const { invoker } = histories.get(runId)?.started.event ?? { invoker: null };
      holds([id, runId], [invoker?.runId, invoker?.step], [id, step]);
    }
    for (const { runId, step } of [...own, ...(started.event.inherited?.invocations ?? [])]) {
      const child = histories.get(runId);
      const childEnd = child?.end ?? null;
      const isHeard = childEnd !== null && childEnd.offset < (end?.offset ?? 0);
      const heardEnds = heard
        .filter((other) => other.runId === runId)
        .map((other) => ({ outcome: other.outcome, endOffset: other.endOffset, step: other.step }));
      const expected = { endOffset: childEnd?.offset, step };
      const outcome = childEnd === null ? null : outcomes[childEnd.event.type];
      holds([id, runId], heardEnds, isHeard ? [{ outcome, ...expected }] : []);
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

/** What was acknowledged has happened, as it was reported; the first of two is what is kept. */
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

const nothing = { entries: [], calls: [], waits: [], invocations: [] };

function stepIsKept(
  { id, step }: StepCommand,
  { messageId }: StepReceipt,
  history: RunHistory | undefined,
): void {
  const { entries, calls, waits, invocations } = history?.started.event.inherited ?? nothing;
  const events = (history?.events ?? []).flatMap(({ event }) => ('step' in event ? [event] : []));
  const kept = [...entries, ...calls, ...waits, ...invocations, ...events];
  // A wait that is open has no message yet.
  const names = kept
    .filter((each) => stepKey(each.step) === stepKey(step))
    .map((each) => ('messageId' in each ? each.messageId : null));
  holds([id, step, names, messageId], { isKept: names.includes(messageId) }, { isKept: true });
}
