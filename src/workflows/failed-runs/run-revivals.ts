/** Failed runs brought to life: resumed where they failed, or restarted from the beginning. */
import type { Clock } from '../../engine/clock.js';
import type { Engine } from '../../engine/engine.js';
import type { Identifiers } from '../../engine/identifiers.js';
import type { Outcome } from '../../engine/turn.js';
import type { LetterSearch } from '../../messaging/dead-letters/letter-search.js';
import type { MessagePublished } from '../../messaging/messages/message.events.js';
import type {
  ChangeInvoker,
  EndInvocation,
  StartReceipt,
  StartRun,
} from '../run-state/run.commands.js';
import { type OpenInvocation, type RunEntry, runKind } from '../run-state/run.events.js';
import type { RestartFailedRun, ResumeFailedRun } from './failed-run.commands.js';
import { failedRunKind } from './failed-run.events.js';
import type { FailedRunRecords, InvokedEnd, Published } from './failed-run-records.js';
import type { FailedRun } from './failed-runs.projection.js';
import { type FailedRunFilters, revivedMax } from './failed-runs.request.js';
import type { RunReference } from './failed-runs.service.js';
import type { RevivalOverrides } from './revival.request.js';
import {
  completed,
  inheritanceOf,
  type Remains,
  type Revival,
  restartedRun,
  resumedRun,
} from './revived-run.policy.js';

/** What was made of many failed runs. */
export interface RevivedRuns {
  readonly workflowRuns: readonly RunReference[];
  /** Where the next call goes on; absent = nothing is left. */
  readonly cursor?: string;
}

/** From the beginning, or from where it failed. */
export type RevivalKind = 'restart' | 'resume';

export class RunRevivals {
  constructor(
    private readonly engine: Engine,
    private readonly search: LetterSearch<FailedRun, FailedRunFilters>,
    private readonly records: FailedRunRecords,
    private readonly clock: Clock,
    private readonly identifiers: Identifiers,
  ) {}

  /** The new run; refused as `not_found` where there is no such failed run. */
  async reviveOne(
    id: string,
    kind: RevivalKind,
    overrides: RevivalOverrides,
  ): Promise<Outcome<RunReference>> {
    const run = await this.search.find(id);
    return run === undefined ? notFound(id) : this.revive(run, kind, overrides);
  }

  /**
   * The new runs, in the order of the failed ones: of those that are named, or the oldest that
   * match. One that another call takes meanwhile is left out. Refused as `not_found` where none of
   * the named is there, and as `invalid`, before any is revived, where the overrides fit one not.
   */
  async reviveMatching(
    filters: FailedRunFilters,
    kind: RevivalKind,
    overrides: RevivalOverrides,
  ): Promise<Outcome<RevivedRuns>> {
    const { letters, cursor } = await this.search.bulk(filters, revivedMax);
    for (const run of letters) {
      const fitting = await this.fitting(run, overrides);
      if (!fitting.accepted) return fitting;
    }
    const outcomes: Outcome<RunReference>[] = [];
    // One after the other, as each may be large.
    for (const run of letters) outcomes.push(await this.revive(run, kind, overrides));
    const workflowRuns = outcomes.flatMap((outcome) => (outcome.accepted ? outcome.result : []));
    if (filters.dlqIds !== null && workflowRuns.length === 0) {
      return notFound(String(filters.dlqIds));
    }
    return { accepted: true, result: { workflowRuns, ...(cursor !== null && { cursor }) } };
  }

  private async revive(
    run: FailedRun,
    kind: RevivalKind,
    overrides: RevivalOverrides,
  ): Promise<Outcome<RunReference>> {
    const fitting = await this.fitting(run, overrides);
    if (!fitting.accepted) return fitting;
    const remains = await this.remainsOf(run);
    if (kind === 'resume') return this.resume(run, remains, fitting.result);
    return this.start(run, kind, restartedRun(remains, this.revival(fitting.result)));
  }

  /** The overrides as they are for this run. */
  private async fitting(
    run: FailedRun,
    overrides: RevivalOverrides,
  ): Promise<Outcome<RevivalOverrides>> {
    const { key, value } = overrides.flowControl;
    if (key === null && value === null) return { accepted: true, result: overrides };
    const whole = completed(overrides, await this.records.configurationOf(run));
    if (whole.ok) return { accepted: true, result: whole.value };
    const message = `${whole.reason}, and the failed run ${run.id} has none`;
    return { accepted: false, rejection: { code: 'invalid', message } };
  }

  private async resume(
    run: FailedRun,
    remains: Remains,
    overrides: RevivalOverrides,
  ): Promise<Outcome<RunReference>> {
    const inherited = inheritanceOf(run.runId, await this.records.archives.remainsOf(run));
    const undelivered = await this.undeliveredOf(run, inherited.entries);
    for (;;) {
      const ends = await this.endsOf(run, inherited.invocations);
      if (ends === null) return notFound(run.id);
      // From here to the turn nothing waits.
      const started = resumedRun(remains, inherited, undelivered, this.revival(overrides));
      const handedOver = this.handedOver(run, started, inherited.invocations, ends);
      // Where an invoked run has ended meanwhile, its end is looked for.
      if (handedOver !== null) return this.start(run, 'resume', { ...started, handedOver });
    }
  }

  private async remainsOf(run: FailedRun): Promise<Remains> {
    const { offset: payloadOffset, payload } = await this.records.payloadOf(run);
    return { configuration: await this.records.configurationOf(run), payload, payloadOffset };
  }

  private revival(overrides: RevivalOverrides): Revival {
    const { clock, identifiers } = this;
    const at = clock.now();
    return {
      id: overrides.runId ?? `wfr_${identifiers.turnSeed(at)}`,
      at,
      nextMessageId: () => `msg_${identifiers.turnSeed(at)}`,
      overrides,
    };
  }

  /** What a resume delivers again: all that had been published and not delivered at the failure. */
  private async undeliveredOf(
    run: FailedRun,
    entries: readonly RunEntry[],
  ): Promise<readonly Published[]> {
    const { records } = this;
    const { event } = await records.failureOf(run);
    const undelivered: Published[] = [];
    if (event.cause === 'stalled') {
      for (const { messageId } of unanswered(entries)) {
        undelivered.push(await records.publishedAs(messageId));
      }
      return undelivered;
    }
    for (const offset of [event.publishedOffset, ...event.canceledOffsets]) {
      undelivered.push(await records.read<MessagePublished>(offset));
    }
    return undelivered;
  }

  /**
   * How those invoked runs have ended that will not tell the failed one; null = one of them goes
   * on, and will tell another run, because another request has revived the failed one.
   */
  private async endsOf(
    run: FailedRun,
    invocations: readonly OpenInvocation[],
  ): Promise<ReadonlyMap<OpenInvocation, InvokedEnd> | null> {
    const ended = invocations.filter((invocation) => !this.isAwaited(run, invocation));
    await this.engine.durable();
    const ends = new Map<OpenInvocation, InvokedEnd>();
    for (const invocation of ended) {
      const end = await this.records.endOf(invocation);
      if (end === null) return null;
      ends.set(invocation, end);
    }
    return ends;
  }

  /** Invoked runs that are active tell the new run of their end; that of others it is told now. */
  private handedOver(
    run: FailedRun,
    { id, at, configuration }: StartRun,
    invocations: readonly OpenInvocation[],
    ends: ReadonlyMap<OpenInvocation, InvokedEnd>,
  ): StartRun['handedOver'] | null {
    const told: (ChangeInvoker | EndInvocation)[] = [];
    for (const invocation of invocations) {
      const { step, runId } = invocation;
      const end = ends.get(invocation);
      if (end !== undefined) {
        const { outcome, endOffset } = end;
        // JSON in JSON: what it returned, and the names around it.
        const bytes = 256 + end.bytes;
        const messageId = `msg_${this.identifiers.turnSeed(at)}`;
        told.push({
          type: 'EndInvocation',
          kind: runKind,
          id,
          at,
          step,
          runId,
          messageId,
          outcome,
          endOffset,
          bytes,
        });
      } else if (this.isAwaited(run, invocation)) {
        const invoker = { runId: id, url: configuration.url, createdAt: at, step };
        told.push({ type: 'ChangeInvoker', kind: runKind, id: runId, at, invoker });
      } else {
        return null;
      }
    }
    return told;
  }

  /** Whether an invoked run is active, and would tell the failed one of its end. */
  private isAwaited({ runId }: FailedRun, invocation: OpenInvocation): boolean {
    const invoker = this.records.archives.invokerOf(invocation.runId);
    return invoker?.runId === runId && invoker.step.id === invocation.step.id;
  }

  /** The failed run goes and the new one begins, both or neither. */
  private async start(
    { id }: FailedRun,
    kind: RevivalKind,
    started: StartRun,
  ): Promise<Outcome<RunReference>> {
    const { id: runId, at } = started;
    const type = kind === 'resume' ? 'ResumeFailedRun' : 'RestartFailedRun';
    const taken: ResumeFailedRun | RestartFailedRun = { type, kind: failedRunKind, id, at, runId };
    const [, outcome] = await this.engine.dispatchTogether([taken, started]);
    if (outcome === undefined) throw new Error('a command without an outcome');
    if (!outcome.accepted) return outcome;
    const { createdAt } = outcome.result as StartReceipt;
    return { accepted: true, result: { workflowRunId: runId, workflowCreatedAt: createdAt } };
  }
}

/** Of a stalled run, the plans without a result, or else the entry that nothing followed. */
function unanswered(entries: readonly RunEntry[]): readonly RunEntry[] {
  const done = new Set(entries.map(({ step }) => (step.target === null ? step.id : -1)));
  const plans = entries.filter(({ step }) => step.target !== null && !done.has(step.target));
  return plans.length > 0 ? plans : entries.slice(-1);
}

function notFound(id: string): Outcome<never> {
  const message = `failed run ${id} not found`;
  return { accepted: false, rejection: { code: 'not_found', message } };
}
