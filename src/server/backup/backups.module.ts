/** Wiring of the backups that the server makes, and of its warning after a restore. */
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { Store } from '../../../storage/store.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { Config } from '../configuration/config.js';
import { RevealsModule } from '../reveals/reveals.module.js';
import { BackupMetrics } from './backup.metrics.js';
import { BackupJobs } from './backup-jobs.js';
import { BackupsController } from './backups.controller.js';
import { restoredFrom } from './restored-from.js';

/** How long a stop waits for the files of an unfinished backup to be removed. */
const stopDeadlineMs = 10_000;

/**
 * A stop ends a running backup. The first start of a restored folder warns that work since the
 * backup will be repeated.
 */
@Module({
  controllers: [BackupsController],
  imports: [RevealsModule],
  providers: [BackupMetrics, BackupJobs],
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
    // Only the first start warns: after that, the folder has a history of its own.
    if (from === null || this.store.report.epoch > from.epoch + 1) return;
    this.log.warn(
      { madeAt: from.madeAt },
      'this folder was restored from a backup: what was done after the backup will be done again',
    );
  }
}
