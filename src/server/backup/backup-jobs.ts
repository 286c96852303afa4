/** Backups that the server makes of itself while it runs: one at a time, inside one folder. */
import { dirname, join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { PacedDisk } from '../../../storage/disk/paced-disk.js';
import { LogClosed, messageOf } from '../../../storage/faults/storage-errors.js';
import type { StoreOptions } from '../../../storage/store.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import type { Config } from '../configuration/config.js';
import { backupDisk, DiskWatch } from '../disks/disk-watch.js';
import { RevealRecorder } from '../reveals/reveal-recorder.js';
import { BackupMetrics } from './backup.metrics.js';
import type { BackupManifest } from './backup-manifest.js';
import { backUp, removeUnfinishedBackup } from './folder-backup.js';

/** Bytes read per second, so that a backup takes a small part of one processor. */
const readRate = 32 * 1024 * 1024;

/** An unfinished backup that is older was left by a killed server: no backup takes longer. */
const unfinishedMsMax = 24 * 3_600_000;

/** The name of a backup that is named by its time in Unix ms; such names sort by time. */
function nameAt(ms: number): string {
  return `stepwell-${new Date(ms).toISOString().replaceAll(/[:.]/g, '-')}`;
}

const unfinishedName = /^(stepwell-[0-9TZ-]+)\.partial$/;

/** Where a backup is written, and when it was requested. */
interface BackupPlace {
  readonly path: string;
  readonly startedAt: string;
}

/** The last backup that this process started or failed to start; `idle`: there was none. */
export type BackupStatus =
  | { readonly state: 'idle' }
  | (BackupPlace &
      (
        | {
            readonly state: 'running';
            readonly doing: 'copying' | 'verifying';
            readonly bytes: number;
            readonly bytesTotal: number;
          }
        | { readonly state: 'done'; readonly endedAt: string; readonly backup: BackupManifest }
        | { readonly state: 'failed'; readonly endedAt: string; readonly reason: string }
      ));

/**
 * Runs one backup at a time for the server; its files have a temporary name until it is complete
 * (see `backupFolder`). The status of the last backup is kept in memory only, so a restart forgets
 * it.
 */
@Injectable()
export class BackupJobs {
  private last: BackupStatus = { state: 'idle' };
  private running: { readonly paced: PacedDisk; readonly ended: Promise<void> } | null = null;
  private isStopped = false;
  private readonly disk: Disk;

  constructor(
    private readonly metrics: BackupMetrics,
    private readonly reveals: RevealRecorder,
    private readonly journal: Journal,
    private readonly life: ProcessLife,
    @Inject(provided.config)
    private readonly config: Pick<Config, 'dataDirectory' | 'backupDirectory'>,
    @Inject(provided.disk) disk: Disk,
    @Inject(provided.readingOptions) private readonly options: StoreOptions,
    @Inject(provided.log) private readonly log: Logger,
  ) {
    this.disk = new DiskWatch(life, log, backupDisk).over(disk);
  }

  /** The status of the running backup, or else of the last one of this process; `idle` = none. */
  get status(): BackupStatus {
    return this.last;
  }

  /** Starts a backup called `name`, or named by its time, for `by`. Returns its status. */
  async begin(name: string | null, by: Caller): Promise<BackupStatus | Refusal> {
    const { disk } = this;
    const folder = this.config.backupDirectory;
    if (folder === null) {
      return new Refusal('unprocessable', 'STEPWELL_BACKUP_DIR is not set: no backups are made');
    }
    if (this.isStopped) return new Refusal('unavailable', 'the server is stopping');
    if (this.running !== null) return new Refusal('conflict', 'a backup is already running');
    const now = this.options.now();
    const startedAt = new Date(now).toISOString();
    const path = join(folder, name ?? nameAt(now));
    const paced = new PacedDisk(disk, readRate, this.options.after);
    // Set before anything is awaited, so that two simultaneous requests start only one backup.
    const names = disk.list(folder);
    this.running = {
      paced,
      ended: names.then(
        () => undefined,
        () => undefined,
      ),
    };
    try {
      if ((await names).includes(path.slice(join(folder, '/').length))) {
        this.running = null;
        return new Refusal('conflict', `${path} is there already`);
      }
      const refusal = await this.recorded(by);
      if (refusal !== null) {
        this.running = null;
        return refusal;
      }
    } catch (error) {
      this.running = null;
      const reason = `STEPWELL_BACKUP_DIR ${folder}: ${messageOf(error)}`;
      this.failed({ path, startedAt }, reason, error);
      return new Refusal('unprocessable', reason);
    }
    this.last = { state: 'running', path, startedAt, doing: 'copying', bytes: 0, bytesTotal: 0 };
    this.running = { paced, ended: this.run(paced, path, startedAt) };
    return this.last;
  }

  /**
   * A backup contains everything in clear. So that is recorded first, and the record is in the
   * backup too. Returns null if recorded; a read-only server cannot record it, and makes its backup
   * nevertheless.
   */
  private async recorded(by: Caller): Promise<Refusal | null> {
    if (this.life.changesNothing !== null) return null;
    const until = this.journal.highWatermark;
    const all = { what: 'backup', stream: null, from: 0, until, bodies: true } as const;
    return this.reveals.record(all, by);
  }

  /** Stops the running backup and removes what it has written. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.running?.paced.stop(new LogClosed('the server is stopping'));
    await this.running?.ended;
  }

  /**
   * Removes unfinished backups that are named by their time. A later backup never has such a name,
   * so none is removed that is still running.
   */
  private async removeUnfinished(disk: Disk, folder: string): Promise<void> {
    const before = nameAt(this.options.now() - unfinishedMsMax);
    for (const file of await disk.list(folder)) {
      const name = unfinishedName.exec(file)?.[1];
      if (name === undefined || name >= before) continue;
      const path = join(folder, name);
      await removeUnfinishedBackup(disk, path).catch((error: unknown) => {
        this.log.warn({ err: error, path }, 'an unfinished backup could not be removed');
      });
    }
  }

  private async run(paced: PacedDisk, path: string, startedAt: string): Promise<void> {
    const place = { path, startedAt };
    try {
      await this.removeUnfinished(paced.disk, dirname(path));
      const tools = {
        disk: paced.disk,
        options: this.options,
        onProgress: (progress: {
          doing: 'copying' | 'verifying';
          bytes: number;
          bytesTotal: number;
        }) => {
          this.last = { ...place, state: 'running', ...progress };
        },
      };
      const backup = await backUp(tools, this.config.dataDirectory, path);
      this.last = { ...place, state: 'done', endedAt: backup.madeAt, backup };
      this.metrics.succeeded(backup, Date.parse(backup.madeAt));
      if (backup.damages.length > 0) {
        this.log.error(
          { path, damages: backup.damages },
          'a backup was made, but contains damaged data',
        );
      } else this.log.info({ path, bytes: backup.bytes }, 'a backup was made');
    } catch (error) {
      this.failed(place, messageOf(error), error);
    } finally {
      this.running = null;
    }
  }

  private failed(place: BackupPlace, reason: string, error: unknown): void {
    const now = this.options.now();
    const endedAt = new Date(now).toISOString();
    this.last = { ...place, state: 'failed', endedAt, reason };
    this.metrics.failed(now);
    this.log.error({ err: error, path: place.path }, 'a backup failed');
  }
}
