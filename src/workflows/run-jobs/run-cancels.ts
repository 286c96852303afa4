/** What jobs do with active runs: take them back (messaging.md 13). */
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
import { isRunMeant, type MeantRuns, meantRuns } from '../active-runs/cancel-runs.request.js';
import { Runs } from '../runs/run.entity.js';

/** So many are looked at per tick: one that sleeps is unpacked for it. */
const looksPerTick = 256;

/** So many are held at once: those that began later are looked for once these are taken. */
const heldMax = 20_000;

/** The end of a run ends what waits for it, in the same turn. */
const atOnce = 8;

/** A run at its place. */
interface Placed {
  readonly id: string;
  readonly offset: number;
}

/** Only runs that began before the job are looked at. */
@Injectable()
export class RunCancels {
  constructor(
    private readonly runs: Runs,
    private readonly active: ActiveRuns,
  ) {}

  /** For the table of what jobs can do. */
  readonly verbs: readonly JobVerb[] = [
    {
      ...{ over: 'runs', verb: 'cancel', atOnce, takesRoom: false },
      read: (task) => this.steps(task),
    },
  ];

  private steps({ filters }: WrittenJob): Result<JobSteps> {
    const meant = readWritten(filters, meantRuns);
    return meant.ok ? ok((range) => this.walk(meant.value, range)) : meant;
  }

  /** Its places are those of the starts, the oldest first. */
  private async *walk(filters: MeantRuns, range: JobRange): AsyncGenerator<JobStep> {
    for (let position = range.position; ; ) {
      const { oldest, isCut } = await this.oldest(filters, { ...range, position });
      for (const run of oldest) {
        position = run.offset;
        yield { position, item: { id: run.id, prepare: async () => this.prepare(run) } };
      }
      if (!isCut) return;
    }
  }

  /** A job may take its time: its run may be over by then, and another one bear the name. */
  private prepare({ id, offset }: Placed): PreparedItem {
    const isThere = () => this.runs.actors.firstOffsetOf(id) === offset;
    if (!isThere()) return new Refusal('not_found', `workflow run ${id} not found`);
    return ok(() => (isThere() ? [this.active.canceling(id)] : null));
  }

  private async oldest(
    filters: MeantRuns,
    { position, until }: JobRange,
  ): Promise<{ oldest: readonly Placed[]; isCut: boolean }> {
    const held = new TinyQueue<Placed>([], (one, other) => other.offset - one.offset);
    let isCut = false;
    for await (const { id, actor } of this.runs.actors.walk(looksPerTick)) {
      const { firstOffset: offset, state } = actor;
      if (offset >= until || (position !== null && offset <= position)) continue;
      if (!isAmong(id, filters.workflowRunIds) || !isRunMeant(state.context, filters)) continue;
      held.push({ id, offset });
      if (held.length <= heldMax) continue;
      held.pop();
      isCut = true;
    }
    const sorted = held.data.sort((one, other) => one.offset - other.offset);
    // A run that is woken while it is walked over comes twice.
    const oldest = sorted.filter(({ offset }, index) => offset !== sorted[index - 1]?.offset);
    return { oldest, isCut };
  }
}
