/**
 * Which delivery of a run has caused another: the one that submitted what the other delivers. It is
 * known by its place in the run's list; branches of a parallel step are caused by their own plans,
 * so they never wait for each other. Pure.
 */
import type { RunDelivery } from '../../messaging/messages/run-deliveries.js';
import type { RunContext } from '../run-state/run.context.js';
import type { RunEntry } from '../run-state/run.events.js';

/** A delivery to the run's endpoint that has not been answered. */
export interface OpenDelivery {
  readonly messageId: string;
  /** The index of its own entry; -1 = it brings a third party's answer. */
  readonly entry: number;
  /** The step that the answer of a third party is for; null = it brings entries. */
  readonly callStep: number | null;
}

type Run = Pick<RunContext, 'entries' | 'calls'>;

/** The open one that has caused `delivery`; undefined = it is answered, or there is none. */
export function causeOf<Open extends OpenDelivery>(
  delivery: RunDelivery,
  run: Run,
  open: readonly Open[],
): Open | undefined {
  if (delivery.role === 'callResult') return causeOfAnswer(delivery, run, open);
  const entry = run.entries.at(delivery.entry);
  if (delivery.role !== 'step' || entry === undefined) return undefined;
  // At a takeover the endpoint has its first delivery made anew, and the first one may be open.
  if (delivery.entry === 0) return open.find((other) => other.entry === 0);
  const { id, target } = entry.step;
  if (target !== null) return open.find((other) => isBeforePlans(other, delivery.entry, run));
  const answer = open.find(({ callStep }) => callStep === id);
  return answer ?? named(run.entries.findPlan(id) ?? run.entries.at(delivery.entry - 1), open);
}

/** A call is requested by the delivery of its plan, or of what was then the last entry. */
function causeOfAnswer<Open extends OpenDelivery>(
  { callId }: RunDelivery,
  run: Run,
  open: readonly Open[],
): Open | undefined {
  const call = run.calls.find(({ messageId }) => messageId === callId);
  if (call === undefined) return undefined;
  return named(run.entries.findPlan(call.step.id) ?? run.entries.at(run.entries.length - 1), open);
}

/** The plans of a parallel step stand together in the list, in the order of their steps. */
function isBeforePlans({ entry }: OpenDelivery, index: number, { entries }: Run): boolean {
  if (entry < 0 || entry >= index) return false;
  const first = entries.at(entry + 1)?.step.target ?? null;
  const own = entries.at(index)?.step.target ?? null;
  const isLast = (entries.at(entry)?.step.target ?? null) === null;
  return isLast && first !== null && own !== null && own - first === index - entry - 1;
}

function named<Open extends OpenDelivery>(
  entry: RunEntry | undefined,
  open: readonly Open[],
): Open | undefined {
  return open.find(({ messageId }) => messageId === entry?.messageId);
}
