/** What must hold of any simulated day; each rule throws with what breaks it. */
import type { EventEnvelope } from '../../../src/engine/decider.js';
import { flowControlKind } from '../../../src/messaging/flow-control/flow-control.commands.js';
import type { FlowControlEvent } from '../../../src/messaging/flow-control/flow-control.events.js';
import { scheduleKind } from '../../../src/messaging/schedules/schedule.events.js';
import type { Turns } from '../past.js';
import type { Call } from '../simulated-endpoints.js';
import type { Simulation } from '../simulation.js';
import { flowControls, queues } from './messaging-dice.js';
import { fateOf, type MessageHistory } from './messaging-history.js';

type Histories = ReadonlyMap<string, MessageHistory>;

/** Of the calls that one life made, how many were in flight at the worst moment. */
function mostAtOnce(calls: readonly Call[]): number {
  const moments = calls.flatMap((call) => [
    { at: call.startedAt, change: 1 },
    { at: call.endedAt ?? Number.POSITIVE_INFINITY, change: -1 },
  ]);
  // What ends at the same moment made room for what begins then.
  moments.sort((one, other) => one.at - other.at || one.change - other.change);
  let [running, most] = [0, 0];
  for (const { change } of moments) {
    running += change;
    most = Math.max(most, running);
  }
  return most;
}

function mostAtOnceInAnyLife(calls: readonly Call[]): number {
  const lives = [...new Set(calls.map(({ life }) => life))];
  return Math.max(
    0,
    ...lives.map((life) => mostAtOnce(calls.filter((call) => call.life === life))),
  );
}

const callsOf = ({ world }: Simulation, ids: ReadonlySet<string>) =>
  world.calls.filter(({ messageId }) => ids.has(messageId));

/** A receiver never has more of a queue at once than its parallelism. */
export function queuesAreNarrow(simulation: Simulation, histories: Histories): void {
  for (const [name, parallelism] of Object.entries(queues)) {
    const ids = idsWhere(histories, ({ queueName }) => queueName === name);
    const most = mostAtOnceInAnyLife(callsOf(simulation, ids));
    expect([name, most <= parallelism, most]).toEqual([name, true, most]);
  }
}

/**
 * A message waits while as many earlier ones as may run at once are not final with their
 * callbacks (messaging.md 5).
 */
export function queuesAreOrdered(simulation: Simulation, histories: Histories): void {
  const all = [...histories.values()];
  const endOf = (history: MessageHistory) => history.events.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  const doneAt = (history: MessageHistory) =>
    Math.max(
      endOf(history),
      ...all.filter((other) => isCallbackOf(other, history)).map((callback) => endOf(callback)),
    );
  for (const [name, parallelism] of Object.entries(queues)) {
    const entries = all
      .filter(({ published }) => published.event.queueName === name)
      .map((history) => ({ history, joinedAt: joinOf(history), doneAt: doneAt(history) }))
      .sort(
        (one, other) =>
          one.joinedAt - other.joinedAt ||
          one.history.published.offset - other.history.published.offset,
      );
    for (const [index, { history }] of entries.entries()) {
      for (const call of callsOf(simulation, new Set([history.id]))) {
        const before = entries.slice(0, index);
        const open = before.filter((entry) => entry.doneAt > call.startedAt);
        const names = open.map(({ history: { id } }) => id);
        expect([name, history.id, names.slice(parallelism - 1)]).toEqual([name, history.id, []]);
      }
    }
  }
}

const joinOf = ({ published }: MessageHistory) => Math.max(published.at, published.event.notBefore);

const isCallbackOf = (other: MessageHistory, history: MessageHistory) =>
  other.published.event.callbackOf?.messageId === history.id;

/** Flow-control limits hold, over retries, callbacks and restarts. */
export async function limitsAreKept(simulation: Simulation, histories: Histories): Promise<void> {
  for (const { key, parallelism, rate } of Object.values(flowControls)) {
    const ids = idsWhere(histories, ({ flowControl }) => flowControl?.key === key);
    const calls = callsOf(simulation, ids);
    if (parallelism !== null) {
      const most = mostAtOnceInAnyLife(calls);
      expect([key, most <= parallelism, most]).toEqual([key, true, most]);
    }
    if (rate === null) continue;
    const windows = await windowsOf(simulation.past, key);
    for (const [index, startsAt] of windows.entries()) {
      const endsAt = windows[index + 1] ?? Number.POSITIVE_INFINITY;
      const starts = calls.filter((call) => call.startedAt >= startsAt && call.startedAt < endsAt);
      expect([key, startsAt, starts.length <= rate]).toEqual([key, startsAt, true]);
    }
    const outside = calls.filter(({ startedAt }) => startedAt < (windows[0] ?? 0));
    expect(outside).toEqual([]);
  }
}

/** When the rate windows of a key began. */
async function windowsOf(past: Turns, key: string): Promise<number[]> {
  const starts = new Set<number>();
  await eachEvent(past, flowControlKind, (envelope) => {
    const event = envelope.event as FlowControlEvent;
    if (envelope.id === key && event.type === 'GrantsReserved') starts.add(event.startedAt);
  });
  return [...starts].sort((one, other) => one - other);
}

/** A minute of a schedule triggers once at most, and each trigger has its message. */
export async function schedulesTriggerOnce(
  simulation: Simulation,
  histories: Histories,
): Promise<void> {
  const lastDue = new Map<string, number>();
  const published = new Set<string>();
  await eachEvent(simulation.past, scheduleKind, ({ id, event }) => {
    if (event.type !== 'ScheduleTriggered') return;
    const { dueAt, messageIds } = event as unknown as { dueAt: number; messageIds: string[] };
    expect([id, dueAt > (lastDue.get(id) ?? 0)]).toEqual([id, true]);
    lastDue.set(id, dueAt);
    for (const messageId of messageIds) published.add(messageId);
  });
  const scheduled = idsWhere(histories, ({ scheduleId }) => scheduleId !== null);
  expect([...scheduled].sort()).toEqual([...published].sort());
}

/** Each recorded attempt of a message that asked for it has one callback, each failure one more. */
export function callbacksAreSent(histories: Histories): void {
  const all = [...histories.values()];
  for (const history of all) {
    const { callback, failureCallback } = history.published.event;
    const attempts = history.events.filter(({ event }) => 'attempt' in event).length;
    const isFailed = fateOf(history) === 'failed';
    const sent = all.filter((other) => isCallbackOf(other, history));
    const kinds = sent.map(({ published }) => published.event.callbackOf?.kind).sort();
    const expected = [
      ...Array.from({ length: callback === null ? 0 : attempts }, () => 'callback'),
      ...(failureCallback !== null && isFailed ? ['failureCallback'] : []),
    ];
    expect([history.id, kinds]).toEqual([history.id, expected]);
  }
}

/** What is paused starts nothing: from the answer until a request asks for the contrary. */
export function pausedMeansPaused(simulation: Simulation, histories: Histories): void {
  const { acknowledged, sent, world } = simulation;
  for (const { command, callsBefore } of acknowledged) {
    if (command.type !== 'PauseQueue' && command.type !== 'PauseFlowControl') continue;
    const { kind, id } = command;
    const isOfKey = (message: MessageHistory['published']['event']) =>
      command.type === 'PauseQueue' ? message.queueName === id : message.flowControl?.key === id;
    const ids = idsWhere(histories, isOfKey);
    const resumed = sent.find(
      (other) =>
        other.command.kind === kind &&
        other.command.id === id &&
        other.command.type.startsWith('Resume') &&
        other.callsBefore >= callsBefore,
    );
    const between = world.calls.slice(callsBefore, resumed?.callsBefore);
    expect(between.filter(({ messageId }) => ids.has(messageId))).toEqual([]);
  }
}

function idsWhere(
  histories: Histories,
  is: (message: MessageHistory['published']['event']) => boolean,
): Set<string> {
  const found = [...histories.values()].filter(({ published }) => is(published.event));
  return new Set(found.map(({ id }) => id));
}

async function eachEvent(
  past: Turns,
  kind: string,
  visit: (envelope: EventEnvelope) => void,
): Promise<void> {
  for await (const envelopes of past.replay()) {
    for (const envelope of envelopes) if (envelope.kind === kind) visit(envelope);
  }
}
