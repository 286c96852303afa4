/**
 * Shows the runs that have not ended, ends them for their endpoint, and cancels one or many of
 * them.
 */
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
import { type CancelRunsFilters, isRunSelected } from './cancel-runs.request.js';

/** How many runs are examined per tick; a sleeping run must be unpacked for that. */
const itemsPerTick = 256;

/**
 * Used by routes and jobs. A change is durable when its promise resolves. A bulk cancel takes
 * several turns, so after a crash it may be partly done.
 */
@Injectable()
export class ActiveRuns {
  constructor(
    private readonly engine: Engine,
    private readonly runs: Runs,
    private readonly entries: RunEntries,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** All entries of a run as pieces of a JSON array; undefined = it has ended, or never started. */
  entriesOf(id: string): Promise<AsyncGenerator<string> | undefined> {
    return this.entries.texts(id);
  }

  /**
   * Ends a run whose workflow function returned `response`. Accepted for every run, but only the
   * first end counts.
   */
  end(id: string, response: Buffer, by: Principal | null): Promise<Outcome> {
    const command: EndRun = { type: 'EndRun', kind: runKind, id, at: this.clock.now(), response };
    return this.runs.ask(command, by);
  }

  /** Cancels one run; refused as `not_found` if there is no such active run. */
  cancel(id: string, by: Principal | null): Promise<Outcome> {
    return this.runs.ask(this.canceling(id), by);
  }

  /** Cancels every active run that matches; resolves with their number. */
  cancelMatching(filters: CancelRunsFilters, by: Principal | null): Promise<number> {
    // `count` does not limit runs that are named by their ids.
    const countMax = filters.workflowRunIds === null ? filters.count : Number.POSITIVE_INFINITY;
    return dispatchMany(this.engine, this.clock, this.cancels(filters), countMax, by);
  }

  private async *cancels(filters: CancelRunsFilters): AsyncGenerator<CancelRun> {
    for await (const id of this.matching(filters)) yield this.canceling(id);
  }

  /** The ids of the matching runs; memory holds every field that the filters need. */
  private async *matching(filters: CancelRunsFilters): AsyncGenerator<string> {
    if (filters.workflowRunIds !== null) {
      yield* new Set(filters.workflowRunIds);
      return;
    }
    for await (const { id, actor } of this.runs.actors.walk(itemsPerTick)) {
      if (isRunSelected(actor.state.context, filters)) yield id;
    }
  }

  /** The command that cancels a run. */
  canceling(id: string): CancelRun {
    return { type: 'CancelRun', kind: runKind, id, at: this.clock.now() };
  }
}
