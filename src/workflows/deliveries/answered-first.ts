/**
 * Holds a delivery of a run until the delivery that caused it is answered. An SDK submits the next
 * step while the current delivery is still open, and a worker that handles one request at a time
 * should receive one at a time. The cause is found by its position in the run's list. Each branch
 * of a parallel step is caused by its own plan, so branches never wait for each other. Open
 * deliveries are known only in memory: after a restart there are none.
 */
import { Inject, Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { type Tally, tallyCounter } from '../../engine/metrics/tallies.js';
import { provided } from '../../engine/provided.js';
import { TransientMap } from '../../grammar/transient-map.js';
import type { DeliveryOrder, RunDelivery } from '../../messaging/messages/run-deliveries.js';
import type { RunContext } from '../run-state/run.context.js';
import type { RunEntry } from '../run-state/run.events.js';
import { Runs } from '../runs/run.entity.js';

/** How long a delivery is held at most after the endpoint submitted a step without answering. */
const heldMsMax = 250;

const nothingToTakeBack = () => undefined;

/** An unanswered delivery to the run's endpoint. */
export interface OpenDelivery {
  readonly messageId: string;
  /** The index of the delivery's own entry; -1 = it delivers a third party's answer. */
  readonly entry: number;
  /** The step that the third party's answer belongs to; null = it delivers entries. */
  readonly callStep: number | null;
}

/** A delivery in flight, and the held deliveries that it caused. */
class DeliveryInFlight implements OpenDelivery {
  readonly held = new Set<() => void>();
  /** Whether the longest holding time has passed. */
  isOverdue = false;
  stopWaiting: (() => void) | null = null;

  constructor(
    readonly messageId: string,
    readonly entry: number,
    readonly callStep: number | null,
    /** The offset of the run's start: another run may have taken the same id since. */
    readonly startedOffset: number,
  ) {}
}

/**
 * One instance for the server (ADR 26). It delays a delivery by at most 250 ms and never drops one.
 */
@Injectable()
export class AnsweredFirst implements DeliveryOrder {
  /** The open deliveries by run; usually one. */
  private readonly open = new TransientMap<string, DeliveryInFlight[]>();
  /** Counts held deliveries by what released them: the answer, or the longest holding time. */
  private readonly held: Readonly<Record<'answer' | 'limit', Tally>>;

  constructor(
    private readonly runs: Runs,
    @Inject(provided.clock) private readonly clock: Clock,
    registry: Registry,
  ) {
    const held = tallyCounter(registry, {
      name: 'stepwell_held_deliveries_total',
      help: 'Deliveries of runs held until the earlier one was answered, by how the wait ended.',
      labelNames: ['until'],
    });
    for (const until of ['answer', 'limit']) held.inc({ until }, 0);
    this.held = { answer: held.tally({ until: 'answer' }), limit: held.tally({ until: 'limit' }) };
  }

  whenAnswered(delivery: RunDelivery, start: () => void): () => void {
    const cause = this.openCauseOf(delivery);
    if (cause === undefined || cause.isOverdue) {
      start();
      return nothingToTakeBack;
    }
    cause.held.add(start);
    cause.stopWaiting ??= this.clock.after(heldMsMax, () => {
      cause.isOverdue = true;
      this.release(cause, 'limit');
    });
    return () => void cause.held.delete(start);
  }

  began(messageId: string, { runId, role, entry, callId }: RunDelivery): void {
    if (role !== 'step' && role !== 'callResult') return;
    const run = this.runs.active(runId);
    const call = run?.calls.find((each) => each.messageId === callId);
    const begun = new DeliveryInFlight(
      messageId,
      entry,
      call?.step.id ?? null,
      run?.startedOffset ?? -1,
    );
    const others = this.open.get(runId);
    if (others === undefined) this.open.set(runId, [begun]);
    else others.push(begun);
  }

  ended(messageId: string, { runId }: RunDelivery): void {
    const open = this.open.get(runId);
    const index = open?.findIndex((each) => each.messageId === messageId) ?? -1;
    if (open === undefined || index === -1) return;
    const [answered] = open.splice(index, 1);
    if (open.length === 0) this.open.delete(runId);
    if (answered === undefined) return;
    answered.stopWaiting?.();
    this.release(answered, 'answer');
  }

  private openCauseOf(delivery: RunDelivery): DeliveryInFlight | undefined {
    const open = this.open.get(delivery.runId);
    const run = open === undefined ? undefined : this.runs.active(delivery.runId);
    if (open === undefined || run === undefined) return undefined;
    const own = open.filter(({ startedOffset }) => startedOffset === run.startedOffset);
    return causeOf(delivery, run, own);
  }

  private release({ held }: DeliveryInFlight, until: 'answer' | 'limit'): void {
    if (held.size === 0) return;
    const starts = [...held];
    held.clear();
    this.held[until].count(starts.length);
    for (const start of starts) start();
  }
}

type Run = Pick<RunContext, 'entries' | 'calls'>;

/** The open delivery that caused `delivery`; undefined = it is answered, or there was none. */
export function causeOf<Delivery extends OpenDelivery>(
  delivery: RunDelivery,
  run: Run,
  open: readonly Delivery[],
): Delivery | undefined {
  if (delivery.role === 'callResult') return causeOfAnswer(delivery, run, open);
  const entry = run.entries.at(delivery.entry);
  if (delivery.role !== 'step' || entry === undefined) return undefined;
  // A takeover repeats the first delivery while the original one may still be open.
  if (delivery.entry === 0) return open.find((other) => other.entry === 0);
  const { id, target } = entry.step;
  if (target !== null) return open.find((other) => isBeforePlans(other, delivery.entry, run));
  const answer = open.find(({ callStep }) => callStep === id);
  return answer ?? deliveryOf(run.entries.findPlan(id) ?? run.entries.at(delivery.entry - 1), open);
}

/** A call was requested during the delivery of its plan, or of the then last entry. */
function causeOfAnswer<Delivery extends OpenDelivery>(
  { callId }: RunDelivery,
  run: Run,
  open: readonly Delivery[],
): Delivery | undefined {
  const call = run.calls.find(({ messageId }) => messageId === callId);
  if (call === undefined) return undefined;
  return deliveryOf(
    run.entries.findPlan(call.step.id) ?? run.entries.at(run.entries.length - 1),
    open,
  );
}

/**
 * Whether an open delivery is that of the entry directly before a group of plans which includes
 * `index`. The plans of parallel steps are adjacent in the list, in the order of their steps.
 */
function isBeforePlans({ entry }: OpenDelivery, index: number, { entries }: Run): boolean {
  if (entry < 0 || entry >= index) return false;
  const first = entries.at(entry + 1)?.step.target ?? null;
  const own = entries.at(index)?.step.target ?? null;
  const isLast = (entries.at(entry)?.step.target ?? null) === null;
  return isLast && first !== null && own !== null && own - first === index - entry - 1;
}

/** The open delivery of `entry`. */
function deliveryOf<Delivery extends OpenDelivery>(
  entry: RunEntry | undefined,
  open: readonly Delivery[],
): Delivery | undefined {
  return open.find(({ messageId }) => messageId === entry?.messageId);
}
