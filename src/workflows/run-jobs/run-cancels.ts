/** What jobs can do with active runs: cancel them (messaging.md 13). */
import { Injectable } from '@nestjs/common';
import TinyQueue from 'tinyqueue';
import { ok, Refusal, type Result } from '../../grammar/result.js';
import { readWritten } from '../../http/query-filters.js';
import type {
  JobRange,
  JobStep,
  JobSteps,
  JobVerb,
  PreparedItem,
  WrittenJob,
} from '../../messaging/jobs/job-verbs.js';
import { isAmong } from '../../messaging/messages/message-filter.js';
import { ActiveRuns } from '../active-runs/active-runs.js';
import {
  isRunSelected,
  type SelectedRuns,
  selectedRuns,
} from '../active-runs/cancel-runs.request.js';
import { Runs } from '../runs/run.entity.js';

/** How many runs are examined per tick; a sleeping run must be unpacked for that. */
const itemsPerTick = 256;

/**
 * How many runs are collected at once, oldest first; later ones are looked for once these are done.
 */
const heldMax = 20_000;

/**
 * How many runs are canceled in one turn; few, because the turn also handles everything that
 * depends on each run's end.
 */
const atOnce = 8;

/** A run with the journal offset of its start. */
interface Placed {
  readonly id: string;
  readonly offset: number;
}

/** Considers only runs that started before the job. */
@Injectable()
export class RunCancels {
  constructor(
    private readonly runs: Runs,
    private readonly active: ActiveRuns,
  ) {}

  /** The verbs for the table of what jobs can do. */
  readonly verbs: readonly JobVerb[] = [
    {
      ...{ over: 'runs', verb: 'cancel', atOnce, takesRoom: false, takesOptions: false },
      read: (task) => this.steps(task),
    },
  ];

  private steps({ filters }: WrittenJob): Result<JobSteps> {
    const selected = readWritten(filters, selectedRuns);
    return selected.ok ? ok((range) => this.walk(selected.value, range)) : selected;
  }

  /** Walks the runs by the offsets of their starts, oldest first. */
  private async *walk(filters: SelectedRuns, range: JobRange): AsyncGenerator<JobStep> {
    for (let position = range.position; ; ) {
      const { oldest, isCut } = await this.oldest(filters, { ...range, position });
      for (const run of oldest) {
        position = run.offset;
        yield { position, item: { id: run.id, prepare: async () => this.prepare(run) } };
      }
      if (!isCut) return;
    }
  }

  /** A job may be slow: by now the run may have ended, and another run may have the same id. */
  private prepare({ id, offset }: Placed): PreparedItem {
    const exists = () => this.runs.actors.firstOffsetOf(id) === offset;
    if (!exists()) return new Refusal('not_found', `workflow run ${id} not found`);
    return ok(() => (exists() ? [this.active.canceling(id)] : null));
  }

  private async oldest(
    filters: SelectedRuns,
    { position, until }: JobRange,
  ): Promise<{ oldest: readonly Placed[]; isCut: boolean }> {
    const held = new TinyQueue<Placed>([], (one, other) => other.offset - one.offset);
    let isCut = false;
    for await (const { id, actor } of this.runs.actors.walk(itemsPerTick)) {
      const { firstOffset: offset, state } = actor;
      if (offset >= until || (position !== null && offset <= position)) continue;
      if (!isAmong(id, filters.workflowRunIds) || !isRunSelected(state.context, filters)) continue;
      held.push({ id, offset });
      if (held.length <= heldMax) continue;
      held.pop();
      isCut = true;
    }
    const sorted = held.data.sort((one, other) => one.offset - other.offset);
    // A run that is woken during the walk appears twice.
    const oldest = sorted.filter(({ offset }, index) => offset !== sorted[index - 1]?.offset);
    return { oldest, isCut };
  }
}
