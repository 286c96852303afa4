/**
 * Holds a delivery of a run until the one that has caused it is answered: an SDK submits what comes
 * next while the delivery that it works on is open, and a worker that takes one request at a time
 * is to get one at a time. The cause is known by its place in the run's list; branches of a
 * parallel step are caused by their own plans, so they never wait for each other. What is open is
 * known in memory only: after a restart nothing is.
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

/** An endpoint that answers later than this after it has submitted a step is not waited for. */
const heldMsMax = 250;

const nothingToTakeBack = () => undefined;

/** A delivery to the run's endpoint that has not been answered. */
export interface OpenDelivery {
  readonly messageId: string;
  /** The index of its own entry; -1 = it brings a third party's answer. */
  readonly entry: number;
  /** The step that the answer of a third party is for; null = it brings entries. */
  readonly callStep: number | null;
}

/** A delivery in flight, and those that it has caused. */
class DeliveryInFlight implements OpenDelivery {
  readonly held = new Set<() => void>();
  /** It has been waited for long enough. */
  isOverdue = false;
  stopWaiting: (() => void) | null = null;

  constructor(
    readonly messageId: string,
    readonly entry: number,
    readonly callStep: number | null,
    /** Where its run began: another one may have come to bear the name. */
    readonly startedOffset: number,
  ) {}
}

/** One for the server (ADR 26). It delays a delivery by 250 ms at most and never drops one. */
@Injectable()
export class AnsweredFirst implements DeliveryOrder {
  /** By run: mostly one. */
  private readonly open = new TransientMap<string, DeliveryInFlight[]>();
  /** Deliveries that were held, by what ended that: the answer, or the longest time. */
  private readonly held: Readonly<Record<'answer' | 'limit', Tally>>;

  constructor(
    private readonly runs: Runs,
    @Inject(provided.clock) private readonly clock: Clock,
    registry: Registry,
  ) {
    const held = tallyCounter(registry, {
      name: 'stepwell_held_deliveries_total',
      help: 'Deliveries of runs that were held for the answer to the one before, by what ended it.',
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
      this.letGo(cause, 'limit');
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
    this.letGo(answered, 'answer');
  }

  private openCauseOf(delivery: RunDelivery): DeliveryInFlight | undefined {
    const open = this.open.get(delivery.runId);
    const run = open === undefined ? undefined : this.runs.active(delivery.runId);
    if (open === undefined || run === undefined) return undefined;
    const own = open.filter(({ startedOffset }) => startedOffset === run.startedOffset);
    return causeOf(delivery, run, own);
  }

  private letGo({ held }: DeliveryInFlight, until: 'answer' | 'limit'): void {
    if (held.size === 0) return;
    const starts = [...held];
    held.clear();
    this.held[until].count(starts.length);
    for (const start of starts) start();
  }
}

type Run = Pick<RunContext, 'entries' | 'calls'>;

/** The open one that has caused `delivery`; undefined = it is answered, or there is none. */
export function causeOf<Delivery extends OpenDelivery>(
  delivery: RunDelivery,
  run: Run,
  open: readonly Delivery[],
): Delivery | undefined {
  if (delivery.role === 'callResult') return causeOfAnswer(delivery, run, open);
  const entry = run.entries.at(delivery.entry);
  if (delivery.role !== 'step' || entry === undefined) return undefined;
  // At a takeover the endpoint has its first delivery made anew, and the first one may be open.
  if (delivery.entry === 0) return open.find((other) => other.entry === 0);
  const { id, target } = entry.step;
  if (target !== null) return open.find((other) => isBeforePlans(other, delivery.entry, run));
  const answer = open.find(({ callStep }) => callStep === id);
  return answer ?? deliveryOf(run.entries.findPlan(id) ?? run.entries.at(delivery.entry - 1), open);
}

/** A call is requested by the delivery of its plan, or of what was then the last entry. */
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

/** The plans of a parallel step stand together in the list, in the order of their steps. */
function isBeforePlans({ entry }: OpenDelivery, index: number, { entries }: Run): boolean {
  if (entry < 0 || entry >= index) return false;
  const first = entries.at(entry + 1)?.step.target ?? null;
  const own = entries.at(index)?.step.target ?? null;
  const isLast = (entries.at(entry)?.step.target ?? null) === null;
  return isLast && first !== null && own !== null && own - first === index - entry - 1;
}

/** The open one that has brought `entry`. */
function deliveryOf<Delivery extends OpenDelivery>(
  entry: RunEntry | undefined,
  open: readonly Delivery[],
): Delivery | undefined {
  return open.find(({ messageId }) => messageId === entry?.messageId);
}
