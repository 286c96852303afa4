/** The runs that have not ended: shown, ended by their endpoint, taken back one or many. */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchMany } from '../../engine/bulk/bulk-action.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import { RunEntries } from '../deliveries/run-entries.js';
import type { CancelRun, EndRun } from '../run-state/run.commands.js';
import { runKind } from '../run-state/run.events.js';
import { Runs } from '../runs/run.entity.js';
import { type CancelRunsFilters, isRunMeant } from './cancel-runs.request.js';

/** So many are looked at per tick: one that sleeps is unpacked for it. */
const looksPerTick = 256;

/**
 * For routes and for jobs. What it changes is durable when it settles; a bulk cancel takes several
 * turns, so that a crash leaves some of it done.
 */
@Injectable()
export class ActiveRuns {
  constructor(
    private readonly engine: Engine,
    private readonly runs: Runs,
    private readonly entries: RunEntries,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** All entries of a run as texts of a JSON array; undefined = it has ended, or never began. */
  entriesOf(id: string): Promise<AsyncGenerator<string> | undefined> {
    return this.entries.texts(id);
  }

  /** The workflow function returned `response`. Accepted of any run: it ends once. */
  end(id: string, response: Buffer, by: Principal | null): Promise<Outcome> {
    const command: EndRun = { type: 'EndRun', kind: runKind, id, at: this.clock.now(), response };
    return this.runs.ask(command, by);
  }

  /** Takes one run back; refused as `not_found` where there is nothing to take back. */
  cancel(id: string, by: Principal | null): Promise<Outcome> {
    return this.runs.ask(this.canceling(id), by);
  }

  /** Takes back every active run that matches; answers how many. */
  cancelMatching(filters: CancelRunsFilters, by: Principal | null): Promise<number> {
    // Those that are named are taken back however many they are.
    const countMax = filters.workflowRunIds === null ? filters.count : Number.POSITIVE_INFINITY;
    return dispatchMany(this.engine, this.clock, this.cancels(filters), countMax, by);
  }

  private async *cancels(filters: CancelRunsFilters): AsyncGenerator<CancelRun> {
    for await (const id of this.matching(filters)) yield this.canceling(id);
  }

  /** Memory knows all that the filters look at. */
  private async *matching(filters: CancelRunsFilters): AsyncGenerator<string> {
    if (filters.workflowRunIds !== null) {
      yield* new Set(filters.workflowRunIds);
      return;
    }
    for await (const { id, actor } of this.runs.actors.walk(looksPerTick)) {
      if (isRunMeant(actor.state.context, filters)) yield id;
    }
  }

  /** What takes a run back. */
  canceling(id: string): CancelRun {
    return { type: 'CancelRun', kind: runKind, id, at: this.clock.now() };
  }
}
