/**
 * A run as lanes of bars: one lane for each step, folded from the rows of its log (workflows.md
 * 5.2) up to a moment. The same function shows the present and any earlier moment, without anything
 * that came later. All times are in Unix ms, and come from the rows. Pure.
 */
import { type Delivery, deliveriesIn } from './deliveries.js';
import type { Lane, RunRow } from './lane.js';
import { type LaneDraft, LaneDrafts } from './lane-drafts.js';

/** A run as it was at the requested moment. */
export interface RunLanes {
  /** When it started; null if it had not. */
  readonly startedAt: number | null;
  /** When it ended; null if it had not. */
  readonly endedAt: number | null;
  /** `RUN_STARTED`, or how it ended. */
  readonly state: string;
  readonly lanes: readonly Lane[];
}

/** The run as it was at `until`; without `until`, everything that the rows say. */
export function lanesOf(
  rows: readonly RunRow[],
  until: number = Number.POSITIVE_INFINITY,
): RunLanes {
  const known = rows.filter(({ time }) => time <= until);
  const end = known.find(({ state }) => endStates.has(state));
  const start = known.find(({ state }) => state === 'RUN_STARTED');
  const endedAt = end?.time ?? null;
  const drafts = new LaneDrafts(endedAt);
  for (const row of known) addOpened(row, drafts);
  for (const message of deliveriesIn(known)) place(message, drafts, end);
  return {
    startedAt: start?.time ?? null,
    endedAt,
    state: end?.state ?? 'RUN_STARTED',
    lanes: drafts.lanes(end?.state),
  };
}

/** The moments at which something happened, in order, each once. */
export function momentsOf(rows: readonly RunRow[]): readonly number[] {
  return [...new Set(rows.map(({ time }) => time))].sort((one, other) => one - other);
}

const endStates = new Set(['RUN_SUCCESS', 'RUN_FAILED', 'RUN_CANCELED']);

/** Adds what the run's own events have opened, which no message covers: waits, and invoked runs. */
function addOpened({ state, time, stepInfo }: RunRow, drafts: LaneDrafts): void {
  if (stepInfo === undefined) return;
  const { stepName, stepType, callType, concurrent } = stepInfo;
  if (state === 'WAITER_ADDED') drafts.at(stepName, stepType).open('wait', time);
  if (state === 'INVOKED') drafts.at(stepName, stepType).open('invoke', time);
  if (state === 'CREATED' && callType === 'step') {
    drafts.at(stepName, stepType).store(time, concurrent > 1);
  }
}

/** Draws a message's bars on the lanes of the steps that ran in its attempts. */
function place(message: Delivery, drafts: LaneDrafts, end: RunRow | undefined): void {
  const { id, step, createdAt, due, attempts, retries } = message;
  const own = lanesWhere(message, drafts, end);
  const first = attempts[0];
  for (const lane of own) lane.messageIds.add(id);
  drafts.at(step.stepName, step.stepType).messageIds.add(id);
  const isSleep = sleeps.has(step.stepType) && due > createdAt;
  const began = first?.from ?? message.end?.time ?? null;
  if (began !== createdAt) {
    const wait = { from: createdAt, until: began, due };
    if (isSleep) drafts.at(step.stepName, step.stepType).add({ ...wait, kind: 'sleep' });
    else for (const lane of own) lane.add({ ...wait, kind: 'queued' });
  }
  for (const attempt of attempts) {
    const { from, until, outcome, row } = attempt;
    const { error } = row;
    const named = stepsIn(row, drafts);
    for (const lane of named.length > 0 ? named : own) {
      lane.add({ kind: 'attempt', from, until, outcome, ...(error !== undefined && { error }) });
    }
  }
  for (const retry of retries) for (const lane of own) lane.add({ ...retry, kind: 'retry' });
}

const sleeps = new Set(['SleepFor', 'SleepUntil']);

/** The lanes of the steps that an attempt names: those that ran, or the one that failed. */
function stepsIn({ executed = [], responseHeaders = {} }: RunRow, drafts: LaneDrafts): LaneDraft[] {
  if (executed.length > 0) {
    return [...new Set(executed.map((step) => drafts.at(step.stepName, step.stepType)))];
  }
  const failed = Object.entries(responseHeaders).find(([name]) => errorHeader.test(name));
  return failed?.[1][0] === undefined ? [] : [drafts.named(failed[1][0])];
}

const errorHeader = /^(upstash|svc)-error-step-name$/i;

/**
 * The lanes of a message. Delivering step n runs step n+1, whose name is known only once it has run
 * or failed.
 */
function lanesWhere(message: Delivery, drafts: LaneDrafts, end: RunRow | undefined): LaneDraft[] {
  const { step, attempts } = message;
  const { stepName, stepType, callType } = step;
  const own = [drafts.at(stepName, stepType)];
  if (callType !== 'step' || own[0]?.isPlan(message.createdAt) === true) return own;
  const named = [...new Set(attempts.flatMap(({ row }) => stepsIn(row, drafts)))];
  if (named.length > 0) return named;
  if (message.end === null) return [drafts.after(stepName)];
  if (message.end.state !== 'DELIVERED')
    return attempts.length > 0 ? [drafts.after(stepName)] : own;
  const last = attempts.at(-1);
  const isEnd = end?.state === 'RUN_SUCCESS' && last !== undefined && last.from <= end.time;
  return isEnd && (last.until ?? end.time) >= end.time ? [drafts.end()] : own;
}
