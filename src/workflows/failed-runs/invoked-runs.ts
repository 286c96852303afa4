/** Hands the runs that a failed run had invoked and waited for over to the run that resumes it. */
import { Injectable } from '@nestjs/common';
import type { TurnNames } from '../../engine/decider.js';
import type { ChangeInvoker, EndInvocation, StartRun } from '../run-state/run.commands.js';
import { type OpenInvocation, runKind } from '../run-state/run.events.js';
import { endedInvocationBytes } from '../runs/history-bounds.policy.js';
import { Runs } from '../runs/run.entity.js';
import { FailedRunRecords, type InvokedEnd } from './failed-run-records.js';
import type { FailedRun } from './failed-runs.projection.js';

/** The ends of invoked runs that the journal holds. */
export type InvokedEnds = ReadonlyMap<OpenInvocation, InvokedEnd>;

/**
 * A revival checks the invoked runs twice: before it reads what it needs, and in the tick in which
 * it is dispatched.
 */
@Injectable()
export class InvokedRuns {
  constructor(
    private readonly runs: Runs,
    private readonly records: FailedRunRecords,
  ) {}

  /**
   * The ends of the invoked runs that no longer report to the failed run. null = one of them is
   * still active and reports to another run, because another request has revived the failed run.
   */
  async endsOf(
    run: FailedRun,
    invocations: readonly OpenInvocation[],
  ): Promise<InvokedEnds | null> {
    const ended = await this.runs.shown(() =>
      invocations.filter((invocation) => !this.isAwaited(run, invocation)),
    );
    const ends = new Map<OpenInvocation, InvokedEnd>();
    for (const invocation of ended) {
      const end = await this.records.endOf(invocation);
      if (end === null) return null;
      ends.set(invocation, end);
    }
    return ends;
  }

  /**
   * The commands by which active invoked runs report from now on to the run of `start`, and the
   * ends in `ends` become its entries at once. null = a run has ended whose end is not in `ends`.
   */
  handedOver(
    run: FailedRun,
    start: StartRun,
    invocations: readonly OpenInvocation[],
    ends: InvokedEnds,
    names: TurnNames,
  ): StartRun['handedOver'] | null {
    const commands: (ChangeInvoker | EndInvocation)[] = [];
    for (const invocation of invocations) {
      const end = ends.get(invocation);
      if (end !== undefined) commands.push(ending(start, invocation, end, names.next('msg')));
      else if (this.isAwaited(run, invocation)) commands.push(joining(start, invocation));
      else return null;
    }
    return commands;
  }

  /**
   * Whether an invoked run is active and reports its end to the failed run. Compares more than the
   * ids, since later runs may reuse the ids of both.
   */
  private isAwaited({ runId, createdAt }: FailedRun, invocation: OpenInvocation): boolean {
    const invoker = this.runs.active(invocation.runId)?.invoker;
    return (
      invoker?.runId === runId &&
      invoker.createdAt === createdAt &&
      invoker.step.id === invocation.step.id
    );
  }
}

function ending(
  { id, at }: StartRun,
  { step, runId }: OpenInvocation,
  { outcome, endOffset, bytes }: InvokedEnd,
  messageId: string,
): EndInvocation {
  return {
    type: 'EndInvocation',
    kind: runKind,
    id,
    at,
    step,
    runId,
    messageId,
    outcome,
    endOffset,
    bytes: endedInvocationBytes(bytes),
  };
}

function joining(
  { id, at, configuration }: StartRun,
  { step, runId }: OpenInvocation,
): ChangeInvoker {
  const invoker = { runId: id, url: configuration.url, createdAt: at, step };
  return { type: 'ChangeInvoker', kind: runKind, id: runId, at, invoker };
}
