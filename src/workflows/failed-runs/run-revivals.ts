/** Revives failed runs: resumes them where they failed, or restarts them from the beginning. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import { ok, Refusal, refused } from '../../grammar/result.js';
import type { StartRun } from '../run-state/run.commands.js';
import type { RunEntry } from '../run-state/run.events.js';
import { historyMax } from '../runs/history-bounds.policy.js';
import type { RestartFailedRun, ResumeFailedRun } from './failed-run.commands.js';
import { failedRunKind } from './failed-run.events.js';
import { FailedRunRecords } from './failed-run-records.js';
import { FailedRunSearch } from './failed-run-search.js';
import type { FailedRun } from './failed-runs.projection.js';
import { type FailedRunFilters, revivedMax } from './failed-runs.request.js';
import type { RunReference } from './failed-runs.service.js';
import { InvokedRuns } from './invoked-runs.js';
import type { RevivalOverrides } from './revival.request.js';
import {
  completed,
  type FailedRunRemains,
  inheritanceOf,
  type Revival,
  restartedRun,
  resumedRun,
} from './revived-run.policy.js';
import { editedRun, editedStep, type PlacedEdit, type StepEdit } from './step-edits.request.js';

/** The new runs that revive many failed runs. */
export interface RevivedRuns {
  readonly workflowRuns: readonly RunReference[];
  /** Where the next call continues; absent = nothing is left. */
  readonly cursor?: string;
}

/** The commands that remove a failed run and start the new one, both or neither. */
export type RevivalCommands = readonly [ResumeFailedRun | RestartFailedRun, StartRun];

/** Whether the new run starts from the beginning, or continues where the old one failed. */
export type RevivalKind = 'restart' | 'resume';

/** A revival as a client asks for it. */
export interface AskedRevival {
  readonly kind: RevivalKind;
  readonly overrides: RevivalOverrides;
  /** Results that a resume replaces. */
  readonly edits?: readonly StepEdit[];
}

/** A revival is one turn: the failed run is removed and the new one starts, or neither. */
@Injectable()
export class RunRevivals {
  constructor(
    private readonly engine: Engine,
    private readonly search: FailedRunSearch,
    private readonly records: FailedRunRecords,
    private readonly invoked: InvokedRuns,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {}

  /**
   * Revives one failed run and names the new run. Refused as `not_found` if there is no such failed
   * run.
   */
  async reviveOne(
    id: string,
    asked: AskedRevival,
    by: Principal | null,
  ): Promise<Outcome<RunReference>> {
    const run = await this.search.find(id);
    return run === undefined ? notFound(id) : this.revive(run, asked, by);
  }

  /**
   * Revives the named failed runs, or the oldest that match, and names the new runs in the same
   * order. A failed run that another call revives meanwhile is left out. Refused as `not_found` if
   * none of the named runs exists, and as `invalid`, before any is revived, if the overrides do not
   * fit one of them.
   */
  async reviveMatching(
    filters: FailedRunFilters,
    asked: AskedRevival,
    by: Principal | null,
  ): Promise<Outcome<RevivedRuns>> {
    const { letters, cursor } = await this.search.bulk(filters, revivedMax);
    for (const run of letters) {
      const fitting = await this.fitting(run, asked.overrides);
      if (!fitting.ok) return fitting;
    }
    const outcomes: Outcome<RunReference>[] = [];
    // One after the other, because each may be large.
    for (const run of letters) outcomes.push(await this.revive(run, asked, by));
    const workflowRuns = outcomes.flatMap((outcome) => (outcome.ok ? outcome.value : []));
    if (filters.dlqIds !== null && workflowRuns.length === 0) {
      return notFound(String(filters.dlqIds));
    }
    return ok({ workflowRuns, ...(cursor !== null && { cursor }) });
  }

  private async revive(
    run: FailedRun,
    asked: AskedRevival,
    by: Principal | null,
  ): Promise<Outcome<RunReference>> {
    for (;;) {
      const prepared = await this.prepare(run, asked);
      if (!prepared.ok) return prepared;
      // There is no `await` between here and the dispatch of the turn.
      const commands = prepared.value();
      if (commands === null) continue;
      const [, outcome] = await this.engine.dispatchTogether(commands, by);
      if (!outcome.ok) return outcome;
      const [, { id: workflowRunId }] = commands;
      return ok({ workflowRunId, workflowCreatedAt: outcome.value.createdAt });
    }
  }

  /**
   * Reads what a revival needs; refused if that is impossible. The returned function makes the
   * commands, and must be called in the tick in which they are dispatched; null = an invoked run
   * has ended meanwhile, so prepare again.
   */
  async prepare(
    run: FailedRun,
    { kind, overrides, edits = [] }: AskedRevival,
  ): Promise<Outcome<() => RevivalCommands | null>> {
    const fitting = await this.fitting(run, overrides);
    if (!fitting.ok) return fitting;
    const remains = await this.remainsOf(run);
    if (kind === 'resume') return this.resume(run, remains, fitting.value, edits);
    return ok(() =>
      taking(run, 'RestartFailedRun', restartedRun(remains, this.revival(fitting.value))),
    );
  }

  /** The overrides, completed for this run. */
  private async fitting(
    run: FailedRun,
    overrides: RevivalOverrides,
  ): Promise<Outcome<RevivalOverrides>> {
    const { key, value } = overrides.flowControl;
    if (key === null && value === null) return ok(overrides);
    const whole = completed(overrides, await this.records.configurationOf(run));
    return whole.ok
      ? whole
      : whole.saying(`${whole.message}, and the failed run ${run.id} has none`);
  }

  private async resume(
    run: FailedRun,
    remains: FailedRunRemains,
    overrides: RevivalOverrides,
    edits: readonly StepEdit[],
  ): Promise<Outcome<() => RevivalCommands | null>> {
    const failed = await this.records.remainsOf(run);
    const announcers = await this.records.announcersOf(failed.entries.toArray());
    const inherited = inheritanceOf(run.runId, failed, announcers);
    const { entries, invocations } = inherited;
    const placed = await this.placed(entries, edits);
    if (!placed.ok) return placed;
    const undelivered = await this.records.undeliveredOf(run, entries);
    const ends = await this.invoked.endsOf(run, invocations);
    if (ends === null) return notFound(run.id);
    return ok(() => {
      const revival = this.revival(overrides);
      const start = resumedRun(remains, inherited, undelivered, revival);
      const handedOver = this.invoked.handedOver(run, start, invocations, ends, revival.names);
      if (handedOver === null) return null;
      const edited = editedRun({ ...start, handedOver }, placed.value);
      return taking(run, 'ResumeFailedRun', edited);
    });
  }

  /**
   * Finds the entry of each edit; refused if an edit names no result, or if the edits exceed the
   * history's limit.
   */
  private async placed(
    entries: readonly RunEntry[],
    edits: readonly StepEdit[],
  ): Promise<Outcome<readonly PlacedEdit[]>> {
    const placed: PlacedEdit[] = [];
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    for (const { stepId, out } of edits) {
      const place = entries.findIndex(
        ({ step: { id, target } }) => id === stepId && target === null,
      );
      const entry = entries[place];
      if (entry === undefined) return refused(`steps: the run has no result of step ${stepId}`);
      const body = editedStep(entry.step, await this.records.entryBody(entry), out);
      if (!body.ok) return body;
      placed.push({ step: entry.step, place, body: body.value, bytesBefore: entry.bytes });
      bytes += body.value.length - entry.bytes;
    }
    if (placed.length > 0 && bytes > historyMax.bytes) {
      return refused(`steps: the run's history would have more than ${historyMax.bytes} bytes`);
    }
    return ok(placed);
  }

  private async remainsOf(run: FailedRun): Promise<FailedRunRemains> {
    const { offset: payloadOffset, payload } = await this.records.payloadOf(run);
    return { configuration: await this.records.configurationOf(run), payload, payloadOffset };
  }

  private revival(overrides: RevivalOverrides): Revival {
    const at = this.clock.now();
    const names = newNames(this.identifiers, at);
    return { id: overrides.runId ?? names.next('wfr'), at, names, overrides };
  }
}

/** The commands that remove the failed run and start the new one. */
function taking(
  { id }: FailedRun,
  type: (ResumeFailedRun | RestartFailedRun)['type'],
  start: StartRun,
): RevivalCommands {
  const { id: runId, at } = start;
  return [{ type, kind: failedRunKind, id, at, runId }, start];
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', `failed run ${id} not found`);
}
