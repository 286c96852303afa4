/**
 * Wiring of the maintenance of the journal: it is sealed at intervals, and swept. The sweeps follow
 * every kind of event that features have.
 */
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Disk } from '../../../storage/disk/disk.js';
import type { StoreOptions } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { bytesPerEvent, Crossings } from '../../engine/history/crossings.js';
import { JournalSweepMetrics } from '../../engine/history/journal-sweep.metrics.js';
import { JournalSweeper, type SweepRules } from '../../engine/history/journal-sweeper.js';
import { JournalSweeps } from '../../engine/history/journal-sweeps.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Config } from '../configuration/config.js';
import { archiveDisk, DiskWatch } from '../disks/disk-watch.js';
import { JournalSealRunner } from './journal-seal-runner.js';
import { JournalSweepRunner } from './journal-sweep-runner.js';

/** The size of a journal segment: sweeping less than one is not worthwhile. */
const segmentBytesMax = 64 * 1024 * 1024;

/** How long a stop waits for the group of segments that is being written. */
const stopDeadlineMs = 10_000;

/**
 * The distance between sweep edges, in events (`Crossings`): with bodies, they amount to a segment.
 * Null if there are no sweeps and everything is kept.
 */
export function sweepStretch(
  { journalRetention }: Pick<Config, 'journalRetention'>,
  { segmentBytes = segmentBytesMax }: Pick<StoreOptions, 'segmentBytes'>,
): number | null {
  return journalRetention === 'forever' ? null : Math.ceil(segmentBytes / bytesPerEvent);
}

/** The injection token for `SweepRules`. */
const sweepRules = Symbol('sweepRules');

/**
 * Exports what a follower's module needs. With retention `forever`, nothing is swept, and only
 * expired entries are removed from indexes.
 */
@Module({
  providers: [
    {
      provide: JournalSweeps,
      inject: [Engine],
      useFactory: (engine: Engine) => new JournalSweeps(engine),
    },
    {
      provide: Crossings,
      inject: [provided.config, provided.fileSizes],
      useFactory: (config: Config, fileSizes: Pick<StoreOptions, 'segmentBytes'>) =>
        new Crossings(sweepStretch(config, fileSizes) ?? 1),
    },
    {
      provide: sweepRules,
      inject: [provided.config, provided.fileSizes, provided.disk, ProcessLife, provided.log],
      useFactory: (
        { archiveDirectory }: Pick<Config, 'archiveDirectory'>,
        { segmentBytes = segmentBytesMax }: Pick<StoreOptions, 'segmentBytes'>,
        disk: Disk,
        life: ProcessLife,
        log: Logger,
      ): SweepRules => ({
        bytesMin: segmentBytes,
        archiveFolder: archiveDirectory,
        archiveDisk: new DiskWatch(life, log, archiveDisk).over(disk),
      }),
    },
    {
      provide: JournalSweeper,
      inject: [Engine, Journal, Crossings, JournalSweeps, sweepRules],
      useFactory: (...parts: ConstructorParameters<typeof JournalSweeper>) =>
        new JournalSweeper(...parts),
    },
    {
      provide: JournalSweepMetrics,
      inject: [Registry],
      useFactory: (registry: Registry) => new JournalSweepMetrics(registry),
    },
    JournalSweepRunner,
  ],
  exports: [JournalSweeper, JournalSweeps, JournalSweepRunner],
})
export class JournalSweepsModule implements OnModuleInit {
  private readonly seals: JournalSealRunner;

  constructor(
    private readonly engine: Engine,
    private readonly crossings: Crossings,
    private readonly runner: JournalSweepRunner,
    journal: Journal,
    private readonly life: ProcessLife,
    @Inject(provided.config) private readonly config: Config,
    @Inject(provided.clock) clock: Clock,
    @Inject(provided.log) log: Logger,
  ) {
    this.seals = new JournalSealRunner(journal, clock, log, config.journalSealMs);
  }

  /** At this point, every feature has registered its kinds, and nothing is recovered yet. */
  onModuleInit(): void {
    this.life.addRecoverable({
      name: 'journal seals',
      changes: true,
      recover: async () => this.seals.start(),
    });
    this.life.addStoppable({
      name: 'journal seals',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.seals.stop(),
    });
    if (this.config.journalRetention !== 'forever') this.crossings.follow(this.engine);
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
