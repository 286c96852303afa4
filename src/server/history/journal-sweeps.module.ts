/** Wiring of the sweeps of the journal, which follow every kind of event that features have. */
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { StoreOptions } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { Crossings } from '../../engine/history/crossings.js';
import { JournalSweepMetrics } from '../../engine/history/journal-sweep.metrics.js';
import { JournalSweeper } from '../../engine/history/journal-sweeper.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Config } from '../configuration/config.js';
import { JournalSweepRunner } from './journal-sweep-runner.js';

/** The size of a segment of the journal: less than one is not worth a sweep. */
const segmentBytesMax = 64 * 1024 * 1024;

/** A sweep may end so many events apart that they are a segment if they are this large. */
const bytesPerEvent = 4096;

/** A stop waits this long for the group of segments that is being written. */
const stopDeadlineMs = 10_000;

@Module({
  providers: [
    {
      provide: JournalSweeps,
      inject: [Engine],
      useFactory: (engine: Engine) => new JournalSweeps(engine),
    },
  ],
})
export class JournalSweepsModule implements OnModuleInit {
  private readonly crossings: Crossings;
  private readonly runner: JournalSweepRunner;

  constructor(
    private readonly engine: Engine,
    journal: Journal,
    sweeps: JournalSweeps,
    private readonly life: ProcessLife,
    registry: Registry,
    @Inject(provided.config) private readonly config: Config,
    @Inject(provided.clock) clock: Clock,
    @Inject(provided.fileSizes) fileSizes: Pick<StoreOptions, 'segmentBytes'>,
    @Inject(provided.log) log: Logger,
  ) {
    const { segmentBytes = segmentBytesMax } = fileSizes;
    this.crossings = new Crossings(Math.ceil(segmentBytes / bytesPerEvent));
    const sweeper = new JournalSweeper(engine, journal, this.crossings, sweeps, segmentBytes);
    const metrics = new JournalSweepMetrics(registry);
    this.runner = new JournalSweepRunner(sweeper, clock, metrics, log, config.logRetentionMs);
  }

  /** Every feature has registered its kinds, and nothing is recovered yet. */
  onModuleInit(): void {
    if (this.config.journalRetention === 'forever') return;
    this.crossings.follow(this.engine);
    this.life.addRecoverable({
      name: 'journal sweeps',
      changes: true,
      recover: async () => this.runner.start(),
    });
    this.life.addStoppable({
      name: 'journal sweeps',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.runner.stop(),
    });
  }
}
