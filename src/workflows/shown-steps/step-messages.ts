/** Finds the messages of a run that are about a given step. Pure. */
import type { Attempted, HistoryMessage, RunHistory } from '../history/run-history.js';
import type { RunStep, StepGroup } from './step-groups.js';

/** Created for one run that is shown. */
export class StepMessages {
  /** The messages that deliver each entry, by the entry's index, oldest first. */
  private readonly deliveries = new Map<number, HistoryMessage[]>();
  /** The message that delivers the answer of each call, by the id of the call's message. */
  private readonly answers = new Map<string, HistoryMessage>();
  /**
   * Entries whose deliveries began the following steps; their failures are shown with those steps.
   */
  private readonly heads: ReadonlySet<number>;

  constructor(
    private readonly history: RunHistory,
    groups: readonly StepGroup[],
  ) {
    for (const message of history.messages.values()) this.place(message);
    const last = groups.at(-1);
    const next = last?.isComplete === true ? history.entries.length - 1 : -1;
    this.heads = new Set([...groups.map(({ head }) => head), next]);
  }

  /** The latest delivery of an entry; undefined = the entry was not delivered in this run. */
  delivery(place: number): HistoryMessage | undefined {
    return this.deliveries.get(place)?.at(-1);
  }

  /**
   * The message that delivers the answer of a step's call to the endpoint, once there is an answer.
   */
  answer({ opening }: RunStep): HistoryMessage | undefined {
    return this.answers.get(opening?.messageId ?? '');
  }

  /** A step's message to a third party. */
  call({ opening }: RunStep): HistoryMessage | undefined {
    return opening?.kind === 'call'
      ? this.history.messages.get(opening.messageId ?? '')
      : undefined;
  }

  /** The message that a step waits for, or the message of its result. */
  latest(step: RunStep): HistoryMessage | undefined {
    const { plan, result } = step;
    if (result !== null) return this.delivery(result.place);
    const planned = plan === null ? undefined : this.delivery(plan.place);
    return this.answer(step) ?? this.call(step) ?? planned;
  }

  /** The delivery that began a step, and that may still produce its result. */
  carrier({ plan }: RunStep, { head }: StepGroup): HistoryMessage | undefined {
    return this.delivery(plan?.place ?? head);
  }

  /** The failed attempts to deliver an entry, oldest first. */
  failures(place: number): readonly Attempted[] {
    return (this.deliveries.get(place) ?? []).flatMap(({ failures }) => failures);
  }

  /** The failed attempts that led to a step, oldest first. */
  failuresOf(step: RunStep, group: StepGroup): readonly Attempted[] {
    const { plan, result } = step;
    const isFirst = step === group.steps[0];
    return [
      ...(isFirst ? this.failures(group.head) : []),
      ...(plan === null ? [] : this.failures(plan.place)),
      ...(this.call(step)?.failures ?? []),
      ...(this.answer(step)?.failures ?? []),
      ...(result === null || this.heads.has(result.place) ? [] : this.failures(result.place)),
    ];
  }

  private place(message: HistoryMessage): void {
    const { run, callbackOf } = message.published.event;
    if (run?.role === 'callResult' && callbackOf !== null) {
      this.answers.set(callbackOf.messageId, message);
    }
    if (run?.role !== 'step') return;
    const earlier = this.deliveries.get(run.entry);
    if (earlier === undefined) this.deliveries.set(run.entry, [message]);
    else earlier.push(message);
  }
}
