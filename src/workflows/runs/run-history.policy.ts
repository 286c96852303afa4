/** What a run's history says of a step that comes in: it came before, or it is too much. Pure. */
import { accept, type Decision } from '../../engine/decider.js';
import { Refusal } from '../../grammar/result.js';
import type { StepReceipt } from '../run-state/run.commands.js';
import type { RunContext } from '../run-state/run.context.js';
import type { OpenCall, RunEvent, StepInfo } from '../run-state/run.events.js';

/** A run's history is bounded: above it a step is refused, and so the run fails. */
export const historyMax = { entries: 50_000, bytes: 50 * 1024 * 1024 } as const;
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

/** Why a run takes no more in; null = it does. */
export function overflow({ entries }: RunContext, bytes: number): Decision<RunEvent> | null {
  const { length } = entries;
  if (length < historyMax.entries && entries.bytes + bytes <= historyMax.bytes) return null;
  return new Refusal(
    'over_limit',
    `the run's history has ${length} entries and ${entries.bytes} bytes; ` +
      `at most ${historyMax.entries} entries and ${historyMax.bytes} bytes are kept`,
  );
}
