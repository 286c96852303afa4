/** Wiring of the backups that the server makes, and of what it says of having been restored. */
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Disk } from '../../../storage/disk/disk.js';
import { Store } from '../../../storage/store.js';
import type { Clock } from '../../engine/clock.js';
import type { Identifiers } from '../../engine/identifiers.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Config } from '../configuration/config.js';
import { readingOptions } from '../lifecycle/reading-options.js';
import { BackupMetrics } from './backup.metrics.js';
import { BackupJobs } from './backup-jobs.js';
import { BackupsController } from './backups.controller.js';
import { restoredFrom } from './restored-from.js';

/** A stop waits this long for what is left of a backup to be removed. */
const stopDeadlineMs = 10_000;

@Module({
  controllers: [BackupsController],
  providers: [
    {
      provide: BackupJobs,
      inject: [
        provided.config,
        provided.disk,
        provided.clock,
        provided.identifiers,
        provided.isolatesDamage,
        provided.log,
        Registry,
      ],
      useFactory: jobsOf,
    },
  ],
})
export class BackupsModule implements OnModuleInit {
  constructor(
    private readonly jobs: BackupJobs,
    private readonly life: ProcessLife,
    private readonly store: Store,
    @Inject(provided.config) private readonly config: Config,
    @Inject(provided.disk) private readonly disk: Disk,
    @Inject(provided.log) private readonly log: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.life.addStoppable({
      name: 'backups',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.jobs.stop(),
    });
    const from = await restoredFrom(this.disk, this.config.dataDirectory);
    // Only its first start: from then on the folder has a history of its own.
    if (from === null || this.store.report.epoch > from.epoch + 1) return;
    this.log.warn(
      { madeAt: from.madeAt },
      'this folder was restored: what was done since its backup was made is done again',
    );
  }
}

function jobsOf(
  { dataDirectory, backupDirectory }: Config,
  disk: Disk,
  clock: Clock,
  identifiers: Identifiers,
  isolatesDamage: (logName: string) => boolean,
  log: Logger,
  registry: Registry,
): BackupJobs {
  const options = readingOptions(clock, identifiers, isolatesDamage);
  const metrics = new BackupMetrics(registry);
  return new BackupJobs(disk, dataDirectory, backupDirectory, options, metrics, log);
}
