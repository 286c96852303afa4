/** The runs that a failed run had invoked and waited for: the run that resumes it has them now. */
import { Injectable } from '@nestjs/common';
import type { TurnNames } from '../../engine/decider.js';
import type { ChangeInvoker, EndInvocation, StartRun } from '../run-state/run.commands.js';
import { type OpenInvocation, runKind } from '../run-state/run.events.js';
import { endedInvocationBytes } from '../runs/history-bounds.policy.js';
import { Runs } from '../runs/run.entity.js';
import { FailedRunRecords, type InvokedEnd } from './failed-run-records.js';
import type { FailedRun } from './failed-runs.projection.js';

/** How invoked runs have ended that the journal has the end of. */
export type InvokedEnds = ReadonlyMap<OpenInvocation, InvokedEnd>;

/**
 * A revival asks twice: before it reads what it needs, and in the tick in which it is dispatched.
 */
@Injectable()
export class InvokedRuns {
  constructor(
    private readonly runs: Runs,
    private readonly records: FailedRunRecords,
  ) {}

  /**
   * How those have ended whose end does not go to the failed run; null = one of them goes on, and
   * its end goes to another run, because another request has revived the failed one.
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
   * The ends of active ones go to the run that `start` begins from now on, and those of `ends` are
   * its entries at once; null = one has ended that `ends` does not have.
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
   * Whether an invoked run is active, and its end goes to the failed one: later runs may bear the
   * names of both.
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
