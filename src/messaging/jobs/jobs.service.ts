/** Serves requests about jobs: creates, tries out, shows and aborts them. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import type { Command } from '../../engine/decider.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import { Journal } from '../../engine/journal.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { cursorAt } from '../../http/cursor.js';
import { type DryRun, dryRun } from './dry-run.js';
import type { AbortJob, CreateJob, ForgetJob } from './job.commands.js';
import { JobRunner } from './job.effects.js';
import { Jobs } from './job.entity.js';
import { jobKind } from './job.events.js';
import type { JobRequest } from './job.request.js';
import { type JobObject, jobObject } from './job-object.js';
import { type JobSteps, JobVerbs } from './job-verbs.js';

/** How many ended jobs are kept to be shown. */
const keptMax = 1000;

/** The answer to a dry run. */
export interface JobDryRun extends DryRun {
  readonly state: 'DRY_RUN';
  readonly verb: string;
  readonly over: string;
}

/** The answer of `GET /v2/jobs`. */
export interface JobPage {
  readonly jobs: readonly JobObject[];
  /** The number of jobs on all pages. */
  readonly total: number;
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** For the controller. A job is durable when `create` resolves; it runs on across restarts. */
@Injectable()
export class JobsService {
  constructor(
    private readonly engine: Engine,
    private readonly jobs: Jobs,
    private readonly verbs: JobVerbs,
    private readonly runner: JobRunner,
    private readonly journal: Journal,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {}

  /** Creates a job; refused if its verb, a filter or an option is invalid. */
  async create(
    { verb, over, filters, rate }: JobRequest,
    options: readonly string[],
    by: Principal,
  ): Promise<Outcome<JobObject>> {
    const at = this.clock.now();
    const steps = this.steps({ verb, over, filters }, options, at);
    if (!steps.ok) return steps;
    const until = this.journal.endOffset;
    const id = newNames(this.identifiers, at).next('job');
    const definition = { verb, over, filters, options, rate, until };
    const create: CreateJob = { type: 'CreateJob', kind: jobKind, id, at, definition };
    const outcomes = await this.engine.dispatchTogether([...this.makeRoom(at), create], by);
    for (const outcome of outcomes) if (!outcome.ok) return outcome;
    return ok(this.shown(id));
  }

  /** Returns what a job would take. */
  async dryRun(
    { verb, over, filters, position }: JobRequest,
    options: readonly string[],
  ): Promise<Result<JobDryRun>> {
    const steps = this.steps({ verb, over, filters }, options, this.clock.now());
    if (!steps.ok) return steps;
    const until = await this.jobs.shown(() => this.journal.endOffset);
    const looked = await dryRun(steps.value, { position, until }, this.clock);
    return ok({ state: 'DRY_RUN', verb, over, ...looked });
  }

  /** The job with this id; undefined = there is none, or it was forgotten. */
  find(id: string): Promise<JobObject | undefined> {
    return this.jobs.shown(() => (this.jobs.has(id) ? this.shown(id) : undefined));
  }

  /** A page of jobs, newest first, after the job with the id `behindId`, if given. */
  page(count: number, behindId: string | null): Promise<JobPage> {
    return this.jobs.shown(() => {
      // Ids increase with time.
      const ids = [...this.jobs.actors.ids()].sort().reverse();
      const behind = behindId === null ? ids : ids.filter((id) => id < behindId);
      const jobs = behind.slice(0, count).map((id) => this.shown(id));
      const last = jobs.at(-1);
      const total = ids.length;
      return {
        jobs,
        total,
        ...(behind.length > count && last && { cursor: cursorAt(last.jobId) }),
      };
    });
  }

  /** Stops a job from taking more; refused as `conflict` if it is done. */
  async abort(id: string, by: Principal): Promise<Outcome<JobObject>> {
    const at = this.clock.now();
    const command: AbortJob = { type: 'AbortJob', kind: jobKind, id, at, reason: null };
    const outcome = await this.jobs.ask(command, by);
    return outcome.ok ? ok(this.shown(id)) : outcome;
  }

  private steps(
    { verb, over, filters }: Pick<JobRequest, 'verb' | 'over' | 'filters'>,
    options: readonly string[],
    at: number,
  ): Result<JobSteps> {
    const found = this.verbs.find(over, verb);
    if (found !== undefined) {
      const [option] = options;
      // Ignoring it would silently drop its meaning.
      if (option !== undefined && !found.takesOptions) {
        return refused(`${option} means nothing for ${verb}`);
      }
      return found.read({ filters, options, at });
    }
    const words = this.verbs.of(over);
    return words.length === 0
      ? refused(`over must be ${this.verbs.subjects.join(', ')}`)
      : refused(`verb must be ${words.join(' or ')} of ${over}`);
  }

  /** Forgets the job that ended first if too many are kept. */
  private makeRoom(at: number): readonly Command[] {
    const { kept, firstEnded } = this.jobs.counts;
    if (kept < keptMax || firstEnded === undefined) return [];
    const forget: ForgetJob = { type: 'ForgetJob', kind: jobKind, id: firstEnded, at };
    return [forget];
  }

  private shown(id: string): JobObject {
    return jobObject(id, this.jobs.stateOf(id), this.runner.isQueued(id));
  }
}
