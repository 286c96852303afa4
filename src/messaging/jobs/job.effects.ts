/** Runs jobs: a few at once, the others in order of arrival; and forgets them after their end. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { messageOf } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import type { EffectCarrier, EffectSource } from '../../engine/registration.js';
import { Intake } from '../../http/intake.js';
import type { ForgetJob } from './job.commands.js';
import type { JobEffect } from './job.decider.js';
import { Jobs } from './job.entity.js';
import { jobKind } from './job.events.js';
import { JobVerbs } from './job-verbs.js';
import { type JobTools, JobWork } from './job-work.js';

/**
 * How many jobs run at once. Each leaves half of the process to others, and holds its candidates in
 * memory.
 */
const atOnceMax = 4;

/** Delay before a failed job continues; it doubles each time. */
const tryAgainMs = 1000;
const tryAgainMaxMs = 60_000;

/** How often in a row a job may fail at the same position: for about two minutes. */
const failuresMax = 8;

const nothing = () => undefined;

/** One instance per server. Aborts a job that fails repeatedly at one position, with the reason. */
@Injectable()
export class JobRunner implements EffectCarrier<JobEffect> {
  private readonly tools: JobTools;
  private readonly waiting: JobWork[] = [];
  private readonly running = new Set<JobWork>();
  private isStopped = false;
  private ended: (() => void) | null = null;

  constructor(
    engine: Engine,
    jobs: Jobs,
    verbs: JobVerbs,
    intake: Intake,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.log) private readonly log: Logger,
  ) {
    this.tools = { engine, jobs, verbs, intake, clock };
  }

  /** Puts a job in line; the returned function stops it after the turn in progress. */
  start({ id }: EffectSource): () => void {
    const work = new JobWork(id, this.tools);
    this.take(work);
    return () => work.stop();
  }

  /** Whether a job waits for other jobs to end. */
  isQueued(id: string): boolean {
    return this.waiting.some((work) => work.id === id);
  }

  /** Starts no more jobs; resolves when the turns in progress have ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const work of this.running) work.stop();
    if (this.running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.ended = resolve;
    });
  }

  private take(work: JobWork): void {
    this.waiting.push(work);
    this.proceed();
  }

  private proceed(): void {
    while (this.running.size < atOnceMax && !this.isStopped) {
      const work = this.waiting.shift();
      if (work === undefined) return;
      if (!work.isWanted) continue;
      this.running.add(work);
      void this.run(work);
    }
  }

  private async run(work: JobWork): Promise<void> {
    try {
      await work.run();
    } catch (err) {
      await this.failed(work, err);
    }
    this.running.delete(work);
    this.proceed();
    if (this.running.size === 0) this.ended?.();
  }

  /** Continues the job later from its position, or gives up if it makes no progress. */
  private async failed(work: JobWork, err: unknown): Promise<void> {
    const times = work.failed();
    if (times < failuresMax) {
      this.log.error({ err, jobId: work.id, times }, 'a job failed; it will continue later');
      const delayMs = Math.min(tryAgainMs * 2 ** (times - 1), tryAgainMaxMs);
      this.clock.after(delayMs, () => this.take(work));
      return;
    }
    this.log.error({ err, jobId: work.id, times }, 'a job failed too often and was abandoned');
    await work.giveUp(
      `it failed ${times} times in a row at one place, the last time with: ${messageOf(err)}. ` +
        'What it has taken stays taken; asked for again, it takes the others',
    );
  }
}

/** Forgets a job that ended long ago. */
@Injectable()
export class JobForgetting implements EffectCarrier<JobEffect> {
  constructor(
    private readonly engine: Engine,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  start({ id }: EffectSource): () => void {
    const command: ForgetJob = { type: 'ForgetJob', kind: jobKind, id, at: this.clock.now() };
    this.engine.dispatchAndForget([command]);
    return nothing;
  }
}
