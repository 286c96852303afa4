/**
 * The messages of a run, folded from the rows of its log: attempts, and the waits between them.
 * Pure.
 */
import type { BarOutcome, RowStep, RunRow } from './lane.js';

/** One request of the server to the endpoint or a third party, with all its attempts. */
export interface Delivery {
  readonly id: string;
  readonly step: RowStep;
  readonly createdAt: number;
  readonly due: number;
  readonly attempts: LaneAttempt[];
  /** Waits between attempts. */
  readonly retries: { from: number; until: number | null; due: number }[];
  /** How it ended, and when; null if it is still in progress. */
  end: { readonly state: string; readonly time: number } | null;
}

/** One attempt of a message; `until` is null while it is in flight, and `row` is its latest row. */
export interface LaneAttempt {
  readonly from: number;
  until: number | null;
  outcome: BarOutcome;
  row: RunRow;
}

/**
 * The deliveries, in the order in which their messages were published. A message whose publish is
 * not among the rows is left out.
 */
export function deliveriesIn(rows: readonly RunRow[]): Iterable<Delivery> {
  const messages = new Map<string, Delivery>();
  for (const row of rows) {
    const { stepInfo, state, time, nextDeliveryTime: due = time } = row;
    const id = stepInfo?.messageId;
    if (stepInfo === undefined || id === undefined) continue;
    const known = messages.get(id);
    if (known !== undefined) happen(known, row);
    else if (state === 'CREATED') {
      const created = { id, step: stepInfo, createdAt: time, due, attempts: [], retries: [] };
      messages.set(id, { ...created, end: null });
    }
  }
  return messages.values();
}

/** Applies a row to its message. */
function happen(message: Delivery, row: RunRow): void {
  const { state, time, nextDeliveryTime: due = time } = row;
  const { attempts, retries } = message;
  const retry = retries.at(-1);
  if (state === 'ACTIVE') {
    attempts.push({ from: time, until: null, outcome: 'open', row });
    if (retry?.until === null) retry.until = time;
  }
  if (state === 'RETRY') retries.push({ from: time, until: null, due });
  const outcome = outcomes[state];
  if (outcome === undefined) return;
  const open = attempts.find(({ until }) => until === null);
  if (open !== undefined) Object.assign(open, { until: time, outcome, row });
  // When a run ends, its messages in flight are completed: no row says when such an attempt began.
  else if (state === 'DELIVERED') attempts.push({ from: time, until: time, outcome, row });
  if (state === 'ERROR') return;
  message.end = { state, time };
  if (retry?.until === null) retry.until = time;
}

const outcomes: Readonly<Record<string, BarOutcome>> = {
  ERROR: 'failed',
  FAILED: 'failed',
  DELIVERED: 'ok',
  CANCELED: 'canceled',
};
