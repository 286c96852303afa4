/** When jobs run: a few at once, the others in the order in which they came; and their end. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
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

/** Each leaves half of the process to others, and has what it looks through in memory. */
const atOnceMax = 4;

/** A job that failed goes on this much later. */
const tryAgainMs = 10_000;

const nothing = () => undefined;

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

  start({ id }: EffectSource): () => void {
    const work = new JobWork(id, this.tools);
    this.take(work);
    return () => work.stop();
  }

  /** Whether it waits for others to end. */
  isQueued(id: string): boolean {
    return this.waiting.some((work) => work.id === id);
  }

  /** Starts no more; settles when the turns in progress have ended. */
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
    this.carryOn();
  }

  private carryOn(): void {
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
      this.log.error({ err, jobId: work.id }, 'a job failed; it will go on later');
      this.clock.after(tryAgainMs, () => this.take(work));
    }
    this.running.delete(work);
    this.carryOn();
    if (this.running.size === 0) this.ended?.();
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
