/** What a run's history says of a step that comes in: it came before, or it is too much. Pure. */
import { accept, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { EntryList } from '../run-state/entry-list.js';
import type { StepReceipt } from '../run-state/run.commands.js';
import type { RunContext } from '../run-state/run.context.js';
import type { OpenCall, RunEvent, StepInfo } from '../run-state/run.events.js';

/** A run's history is bounded: above it a step is refused, and so the run fails (ADR 95). */
export const historyMax = { entries: 50_000, bytes: 50 * 1024 * 1024 } as const;

/** From here on a run is worth a look, before its steps are refused. */
export const historyWarning = { entries: 10_000, bytes: 8 * 1024 * 1024 } as const;

/** Whether a run's history is so long that it is worth a look. */
export function isLong({ length, bytes }: EntryList): boolean {
  return length >= historyWarning.entries || bytes >= historyWarning.bytes;
}

/**
 * About what the end of an invoked run weighs in the history of the one that waits: JSON in JSON,
 * what it returned and the names around it.
 */
export function endedInvocationBytes(returnedBytes: number): number {
  return 256 + returnedBytes;
}

/** The answer to a step that came before; the first one's result is kept (workflows.md 3.1). */
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

/** Why a run takes no further entry of so many bytes; null = it does. */
export function overflow({ entries }: RunContext, bytes: number): Refusal | null {
  const isFull = entries.length >= historyMax.entries || bytes > roomIn(entries);
  return isFull ? fullRefusal(entries, entries.length) : null;
}

/** Why a run begins no step that ends later; null = it does. What is open has a place already. */
export function overflowOfOpen(
  { entries, calls, waits, invocations }: RunContext,
  bytes = 0,
): Refusal | null {
  const length = entries.length + calls.length + waits.length + invocations.length;
  const isFull = length >= historyMax.entries || bytes > roomIn(entries);
  return isFull ? fullRefusal(entries, length) : null;
}

/** Why what ends a step of a run finds no room; null = it does. Its place it has. */
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
