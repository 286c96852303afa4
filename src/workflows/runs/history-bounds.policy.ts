/**
 * Checks a submitted step against the run's history: was it submitted before, and does it fit?
 * Pure.
 */
import { accept, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { EntryList } from '../run-state/entry-list.js';
import type { StepReceipt } from '../run-state/run.commands.js';
import type { RunContext } from '../run-state/run.context.js';
import type { OpenCall, RunEvent, StepInfo } from '../run-state/run.events.js';

/** The largest history of a run: a step beyond it is refused, which makes the run fail (ADR 95). */
export const historyMax = { entries: 50_000, bytes: 50 * 1024 * 1024 } as const;

/** From this size on, a run deserves attention before its steps are refused. */
export const historyWarning = { entries: 10_000, bytes: 8 * 1024 * 1024 } as const;

/** Whether a run's history has reached the warning size. */
export function isLong({ length, bytes }: EntryList): boolean {
  return length >= historyWarning.entries || bytes >= historyWarning.bytes;
}

/**
 * Approximate bytes that the end of an invoked run adds to the history of the waiting run: the
 * returned JSON inside JSON, and the field names around it.
 */
export function endedInvocationBytes(returnedBytes: number): number {
  return 256 + returnedBytes;
}

/**
 * The answer to a step that was submitted before, null if it was not; the first result is kept
 * (workflows.md 3.1).
 */
export function repeatOf(
  step: StepInfo,
  { entries, waits, invocations }: RunContext,
  calls: readonly OpenCall[],
): Decision<RunEvent> | null {
  const isSame = (open: { readonly step: StepInfo }) =>
    step.target === null && open.step.id === step.id;
  const first =
    entries.find(step) ?? calls.find(isSame) ?? waits.find(isSame) ?? invocations.find(isSame);
  if (first === undefined) return null;
  if (first.step.name !== step.name || first.step.type !== step.type) {
    return new Refusal(
      'conflict',
      `step ${step.target ?? step.id} came as ${first.step.type} "${first.step.name}" before, ` +
        `and now as ${step.type} "${step.name}": the workflow function has changed under the run`,
    );
  }
  const messageId = 'messageId' in first ? first.messageId : null;
  return accept<RunEvent>([], { messageId } satisfies StepReceipt);
}

/** Why a run cannot take another entry of `bytes`; null = it can. */
export function overflow({ entries }: RunContext, bytes: number): Refusal | null {
  const isFull = entries.length >= historyMax.entries || bytes > roomIn(entries);
  return isFull ? fullRefusal(entries, entries.length) : null;
}

/**
 * Why a run cannot begin a step that ends later; null = it can. Open steps already count as
 * entries.
 */
export function overflowOfOpen(
  { entries, calls, waits, invocations }: RunContext,
  bytes = 0,
): Refusal | null {
  const length = entries.length + calls.length + waits.length + invocations.length;
  const isFull = length >= historyMax.entries || bytes > roomIn(entries);
  return isFull ? fullRefusal(entries, length) : null;
}

/**
 * Why the end of an open step does not fit by its bytes; null = it does. The open step already
 * counts as an entry.
 */
export function overflowOfEnd({ entries }: RunContext, bytes: number): Refusal | null {
  return bytes > roomIn(entries) ? fullRefusal(entries, entries.length) : null;
}

function roomIn({ bytes }: EntryList): number {
  return historyMax.bytes - bytes;
}

function fullRefusal({ bytes }: EntryList, length: number): Refusal {
  return new Refusal(
    'over_limit',
    `the run's history has ${length} entries and ${bytes} bytes; ` +
      `at most ${historyMax.entries} entries and ${historyMax.bytes} bytes are kept`,
  );
}
