/** What must hold of failed runs that were brought to life again: rules throw what breaks them. */

import type { EventEnvelope } from '../../../src/engine/decider.js';
import { deadLetterId } from '../../../src/messaging/messages/dead-letter-id.js';
import {
  type FailedRunEvent,
  failedRunKind,
} from '../../../src/workflows/failed-runs/failed-run.events.js';
import { holds } from '../holds.js';
import { fateOf, type MessageHistory } from '../messaging/messaging-history.js';
import type { RunHistories, RunHistory } from './workflow-history.js';
import type { WorkflowSimulation } from './workflow-rules.js';

/** The run that it goes on for; undefined = it has begun at the beginning. */
export function ancestorOf(histories: RunHistories, run: RunHistory): RunHistory | undefined {
  return histories.get(run.started.event.inherited?.runId ?? '');
}

/** It, and those before it that it goes on for. */
export function lineageOf(histories: RunHistories, run: RunHistory): readonly RunHistory[] {
  const ancestor = ancestorOf(histories, run);
  return ancestor === undefined ? [run] : [run, ...lineageOf(histories, ancestor)];
}

/** The run that goes on for it, if there is one. */
export function heirOf(histories: RunHistories, { id }: RunHistory): RunHistory | undefined {
  return [...histories.values()].find(({ started }) => started.event.inherited?.runId === id);
}

/** Whether an operator wanted a message canceled. */
export function isTakenBack(sent: WorkflowSimulation['sent'], { id }: MessageHistory): boolean {
  return sent.some(({ command }) => command.type === 'CancelMessage' && command.id === id);
}

/** A letter is taken once, together with its new run; an operator that saw it finds it. */
export async function lettersAreTakenOnce(
  { past, world }: WorkflowSimulation,
  histories: RunHistories,
): Promise<void> {
  const failures = new Map(
    [...histories.values()].flatMap(({ id, end }) =>
      end?.event.type === 'RunFailed' ? [[deadLetterId(end), id]] : [],
    ),
  );
  const taken = new Map<string, FailedRunEvent>();
  for await (const envelopes of past.replay()) {
    for (const { kind, id, event, offset } of envelopes as EventEnvelope<FailedRunEvent>[]) {
      if (kind !== failedRunKind || event.type === 'FailedRunDeleted') continue;
      holds(id, { before: taken.get(id) }, { before: undefined });
      taken.set(id, event);
      const { started } = histories.get(event.runId) ?? {};
      const { inherited = null } = started?.event ?? {};
      const from = event.type === 'FailedRunResumed' ? failures.get(id) : undefined;
      holds([id, event], [started?.offset, inherited?.runId], [offset + 1, from]);
    }
  }
  for (const { letter, kind, runId, isAccepted } of world.operator.revivals) {
    const event = taken.get(letter.dlqId);
    holds(letter, failures.get(letter.dlqId), letter.runId);
    const isTaken = event !== undefined && 'runId' in event && event.runId === runId;
    if (isAccepted === null) continue;
    holds([letter, kind, runId], { isTaken }, { isTaken: isAccepted });
    // If this revival did not take the letter, another one was faster.
    holds([letter, kind, runId], event !== undefined, true);
  }
}

/** A run that goes on for another one has all that this one had, and delivers what it had not. */
export function whatWasLeftIsInherited(
  { sent }: WorkflowSimulation,
  histories: RunHistories,
  run: RunHistory,
): void {
  const ancestor = ancestorOf(histories, run);
  const { inherited } = run.started.event;
  if (ancestor === undefined || inherited === null) return;
  const bodies = ({ entries }: RunHistory) => entries.map(({ body }) => body.toString());
  const own = bodies(run).slice(0, inherited.entries.length);
  holds([run.id, ancestor.id], own, bodies(ancestor));
  const left = leftOpenBy(ancestor);
  holds(
    [run.id, ancestor.id],
    {
      waits: inherited.waits.map(({ step }) => step.id).sort(),
      events: inherited.notifications.map(({ offset }) => offset),
      children: inherited.invocations.map(({ runId }) => runId).sort(),
    },
    left,
  );
  const done = lineageOf(histories, ancestor)
    .flatMap(({ messages }) => messages)
    .filter((message) => fateOf(message) === 'delivered' || isTakenBack(sent, message));
  const known = new Set([...done, ...run.messages].map(({ id }) => id));
  const lost = run.entries.map(({ messageId }) => messageId).filter((id) => !known.has(id));
  holds([run.id, ancestor.id], lost, []);
}

/** What a run waited for, and had got, when it ended. */
function leftOpenBy({ started, events }: RunHistory) {
  const { inherited } = started.event;
  const waits = new Set(inherited?.waits.map(({ step }) => step.id));
  const notified = new Set(inherited?.notifications.map(({ offset }) => offset));
  const children = new Set(inherited?.invocations.map(({ runId }) => runId));
  for (const { event, offset } of events) {
    switch (event.type) {
      case 'WaitOpened':
        waits.add(event.step.id);
        break;
      case 'WaitEnded':
        waits.delete(event.step.id);
        if (event.notificationOffset !== null) notified.delete(event.notificationOffset);
        break;
      case 'NotificationStored':
        notified.add(offset);
        break;
      case 'StepInvoked':
        children.add(event.runId);
        break;
      case 'InvocationEnded':
        children.delete(event.runId);
    }
  }
  return { waits: [...waits].sort(), events: [...notified], children: [...children].sort() };
}
