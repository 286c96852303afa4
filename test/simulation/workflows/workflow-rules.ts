/** What must hold of any simulated day of runs; each rule throws with what breaks it. */

import { stepKey } from '../../../src/workflows/run-state/entry-list.js';
import type {
  RunConfiguration,
  RunReconfigured,
} from '../../../src/workflows/run-state/run.events.js';
import { holds } from '../holds.js';
import { fateOf, type MessageHistory } from '../messaging/messaging-history.js';
import type { Call } from '../simulated-endpoints.js';
import type { Simulation } from '../simulation.js';
import {
  type Recorded,
  type RunHistories,
  type RunHistory,
  stepEntries,
} from './workflow-history.js';
import { type DeliveredEntry, nextMove } from './workflow-interpreter.js';
import { deliveriesOf, numbered } from './workflow-program.js';
import { isTakenBack, lineageOf } from './workflow-revivals.js';
import type { WorkflowWorld } from './workflow-world.js';

export type WorkflowSimulation = Simulation<WorkflowWorld>;

const takeoversOf = ({ events }: RunHistory) =>
  events.filter(({ event }) => event.type === 'RunReconfigured') as Recorded<RunReconfigured>[];

const roleOf = ({ published }: MessageHistory) => published.event.run?.role;

export type CallsByMessage = ReadonlyMap<string, readonly Call[]>;

/** Calls by the message that they deliver. */
export function callsByMessage({ world }: WorkflowSimulation): CallsByMessage {
  const calls = new Map<string, Call[]>();
  for (const call of world.calls) {
    const others = calls.get(call.messageId);
    if (others === undefined) calls.set(call.messageId, [call]);
    else others.push(call);
  }
  return calls;
}

/** Every run begins once and ends once, and nothing happens to it afterwards. */
export function endsOnce({ id, events, end }: RunHistory): void {
  const types = events.map(({ event }) => event.type);
  const begun = types.filter((type) => type === 'RunStarted').length;
  const ended = types.filter((type) => /^Run(Succeeded|Failed|Canceled)$/.test(type));
  holds(
    id,
    { begun, ended, last: types.at(-1) },
    { begun: 1, ended: [end?.event.type], last: ended[0] ?? 'its end' },
  );
}

/** It returns what its program returns for the stored outcomes, or a command ended it. */
export function endsAsItsProgramSays(
  { sent, world }: WorkflowSimulation,
  histories: RunHistories,
  history: RunHistory,
): void {
  const { id, program, entries, end, messages } = history;
  const move = nextMove(program, stepEntries(entries));
  const event = end?.event;
  if (event?.type === 'RunSucceeded') {
    holds(id, { kind: 'return', response: end?.body?.toString() }, move);
  } else if (event?.type === 'RunCanceled') {
    const isCanceled = sent.some(
      ({ command }) => command.type === 'CancelRun' && command.id === id,
    );
    const isRequested = isCanceled || messages.some((message) => isTakenBack(sent, message));
    holds(id, { isRequested }, { isRequested: true });
  } else if (event?.type === 'RunFailed' && event.cause === 'stalled') {
    // No message made the run go on: its endpoint kept silent, or its message was canceled.
    const isSilent = world.silent.has(world.starts.get(id)?.knownAs ?? id);
    const all = lineageOf(histories, history).flatMap((run) => run.messages);
    const isLost = isSilent || all.some((message) => isTakenBack(sent, message));
    holds(id, { isLost }, { isLost: true });
  } else if (event?.type === 'RunFailed') {
    const fatal = messages.find((message) => message.id === event.messageId);
    holds(id, { fatal: fatal && fateOf(fatal) }, { fatal: 'failed' });
  }
}

/** A step has one outcome, under the number and the name that its program gives it. */
export function oneOutcomePerStep({ id, program, entries }: RunHistory): void {
  const keys = entries.flatMap(({ event: { event } }) =>
    'step' in event ? [stepKey(event.step)] : [],
  );
  holds(id, keys, [...new Set(keys)]);
  const steps = numbered(program);
  for (const { stepId, targetStep, stepName, stepType, concurrent } of stepEntries(entries)) {
    const found = steps.find(({ number }) => number === (targetStep ?? stepId));
    holds(
      id,
      { name: stepName, type: stepType, concurrent },
      { name: found?.step.name, type: found?.step.type, concurrent: found?.concurrent },
    );
  }
}

/** Every delivery of an entry carries the entries up to its own, as they were stored. */
export function prefixesAreExact(calls: CallsByMessage, history: RunHistory): void {
  const { id, entries, messages } = history;
  const isTakenOver = takeoversOf(history).length > 0;
  // The initial entry is named anew when its run is taken over.
  const nameOf = (messageId: string, index: number) =>
    isTakenOver && index === 0 ? 'initial' : messageId;
  const stored = entries.map(({ messageId, body }, index) => ({
    messageId: nameOf(messageId, index),
    body: body.toString('base64'),
    callType: 'step',
  }));
  for (const message of messages.filter((each) => roleOf(each) === 'step')) {
    const expected = stored.slice(0, (message.published.event.run?.entry ?? -1) + 1);
    const own = nameOf(message.id, expected.length - 1);
    holds([id, message.id], expected.at(-1)?.messageId, own);
    for (const call of calls.get(message.id) ?? []) {
      const delivered = (JSON.parse(call.body) as DeliveredEntry[]).map((entry, index) => ({
        ...entry,
        messageId: nameOf(entry.messageId, index),
      }));
      holds([id, message.id], delivered, expected);
    }
  }
}

/** Each entry has its message; all are final, and none is canceled for nothing. */
export function entriesAreDelivered(
  { sent }: WorkflowSimulation,
  calls: CallsByMessage,
  history: RunHistory,
): void {
  const { id, entries, messages, end, endsBefore, started } = history;
  const answered = new Set(takeoversOf(history).flatMap(({ event }) => event.completed));
  const ids = new Set(messages.map((message) => message.id));
  // What a run inherits may have been delivered before.
  const own = entries.slice(started.event.inherited?.entries.length ?? 0);
  holds(
    id,
    own.filter(({ messageId }) => !ids.has(messageId)),
    [],
  );
  for (const message of messages) {
    const fate = fateOf(message);
    const isOf = [id, message.id];
    holds(isOf, fate === 'pending', false);
    const answers = (calls.get(message.id) ?? []).map(({ status }) => status);
    const isAnswered = answers.some((status) => status >= 200 && status < 300);
    if (fate === 'delivered') holds(isOf, { isAnswered }, { isAnswered: true });
    if (roleOf(message) === 'failureCallback') continue;
    const finalOffset = message.events.at(-1)?.offset ?? Number.POSITIVE_INFINITY;
    const isTooLate = finalOffset >= endsBefore;
    const isLost = fate === 'canceled' && finalOffset < (end?.offset ?? 0);
    holds(isOf, { isTooLate }, { isTooLate: false });
    if (isLost && !answered.has(message.id))
      holds(isOf, { isRequested: isTakenBack(sent, message) }, { isRequested: true });
  }
}

/** A takeover answers the messages that had delivered the payload: they are not sent again. */
export function takeoversAreAnswers(calls: CallsByMessage, history: RunHistory): void {
  const { id, messages } = history;
  for (const { event, offset, at } of takeoversOf(history)) {
    const earlier = messages.filter(
      (message) => roleOf(message) === 'step' && message.published.offset < offset,
    );
    const open = earlier.filter((message) => (message.events.at(-1)?.offset ?? 0) > offset);
    holds(
      id,
      event.completed,
      open.map((message) => message.id),
    );
    for (const message of open) {
      holds([id, message.id], message.events.at(-1)?.event.type, 'MessageCompleted');
      const made = calls.get(message.id) ?? [];
      holds(
        [id, message.id],
        made.filter(({ startedAt }) => startedAt > at),
        [],
      );
    }
  }
}

/** How a call ended is reported to the endpoint once, and how it went meanwhile is not. */
export function callsAreAnswered({ id, messages, events, started }: RunHistory): void {
  const requested = events.flatMap(({ event }) => (event.type === 'CallRequested' ? [event] : []));
  const inherited = started.event.inherited?.calls ?? [];
  for (const { messageId } of [...requested, ...inherited]) {
    const call = messages.find((message) => message.id === messageId);
    // Of an inherited call that had been made only the answer is delivered again.
    const isDone = call === undefined || ['delivered', 'failed'].includes(fateOf(call));
    const results = messages.filter(
      (message) =>
        roleOf(message) === 'callResult' &&
        message.published.event.callbackOf?.messageId === messageId,
    );
    holds([id, messageId], { results: results.length }, { results: isDone ? 1 : 0 });
  }
}

/** Once a run has ended no endpoint is called for it any more, but for the failure callback. */
export function nobodyIsCalledAfterTheEnd(
  { acknowledged, world }: WorkflowSimulation,
  calls: CallsByMessage,
  { id, end, messages }: RunHistory,
): void {
  const own = messages.filter((message) => roleOf(message) !== 'failureCallback');
  const late = own
    .flatMap((message) => calls.get(message.id) ?? [])
    .filter(({ startedAt }) => startedAt > (end?.at ?? 0));
  holds(id, late, []);
  const ids = new Set(own.map((message) => message.id));
  for (const { command, callsBefore } of acknowledged) {
    if (command.id !== id || (command.type !== 'EndRun' && command.type !== 'CancelRun')) continue;
    const later = world.calls.slice(callsBefore).filter(({ messageId }) => ids.has(messageId));
    holds([id, command.type], later, []);
  }
}

/** A failure callback that is named is called for a failure once, and for nothing else. */
export function failuresAreReported({ id, events, end, messages }: RunHistory): void {
  const configurations = events.flatMap(({ event }) =>
    'configuration' in event ? [event.configuration as RunConfiguration] : [],
  );
  const reports = messages.filter((message) => roleOf(message) === 'failureCallback').length;
  const isNamed = (configurations.at(-1)?.terms.failureCallback ?? null) !== null;
  holds(id, { reports }, { reports: end?.event.type === 'RunFailed' && isNamed ? 1 : 0 });
}

const endings = {
  return: 'RunSucceeded',
  cancel: 'RunCanceled',
  throw: 'RunFailed',
  refuse: 'RunFailed',
} as const;

/** Where nothing fails, each endpoint is called as often as the protocol says, and no more. */
export function callsAreCounted(
  { world }: WorkflowSimulation,
  calls: CallsByMessage,
  { id, program, end, messages }: RunHistory,
): void {
  holds(id, end?.event.type, endings[program.ending]);
  const counted = { endpoint: 0, thirdParty: 0 };
  for (const message of messages.filter((each) => roleOf(each) !== 'failureCallback')) {
    const made = calls.get(message.id)?.length ?? 0;
    counted[roleOf(message) === 'call' ? 'thirdParty' : 'endpoint'] += made;
  }
  const retries = program.ending === 'throw' ? (world.starts.get(id)?.terms.maxRetries ?? 0) : 0;
  const thirdParty = program.groups.flat().filter(({ type }) => type === 'Call').length;
  holds(id, counted, { endpoint: deliveriesOf(program) + retries, thirdParty });
}
