/** Backups that the server makes of itself: one at a time, below one folder, beside its work. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Disk } from '../../../storage/disk/disk.js';
import { PacedDisk } from '../../../storage/disk/paced-disk.js';
import { LogClosed } from '../../../storage/faults/storage-errors.js';
import type { StoreOptions } from '../../../storage/store.js';
import { Refusal } from '../../grammar/result.js';
import type { BackupMetrics } from './backup.metrics.js';
import type { BackupManifest } from './backup-manifest.js';
import { backUp } from './folder-backup.js';

/** Bytes a second, so that a backup takes a small part of one processor. */
const readRate = 32 * 1024 * 1024;

/** The last backup that this process began; `idle`: there was none. */
export type BackupStatus =
  | { readonly state: 'idle' }
  | ({
      readonly path: string;
      readonly startedAt: string;
    } & (
      | {
          readonly state: 'running';
          readonly doing: 'copying' | 'verifying';
          readonly bytes: number;
          readonly bytesTotal: number;
        }
      | { readonly state: 'done'; readonly endedAt: string; readonly backup: BackupManifest }
      | { readonly state: 'failed'; readonly endedAt: string; readonly reason: string }
    ));

export class BackupJobs {
  private last: BackupStatus = { state: 'idle' };
  private running: { readonly paced: PacedDisk; readonly ended: Promise<void> } | null = null;
  private isStopped = false;

  /** `folder` is where backups go; null: none are made. */
  constructor(
    private readonly disk: Disk,
    private readonly dataDirectory: string,
    private readonly folder: string | null,
    private readonly options: StoreOptions,
    private readonly metrics: BackupMetrics,
    private readonly log: Logger,
  ) {}

  get status(): BackupStatus {
    return this.last;
  }

  /** Begins a backup called `name`, or one that is called by its time. Answers how it stands. */
  async begin(name: string | null): Promise<BackupStatus | Refusal> {
    const { folder, disk } = this;
    if (folder === null) {
      return new Refusal('unprocessable', 'STEPWELL_BACKUP_DIR is not set: no backups are made');
    }
    if (this.isStopped) return new Refusal('unavailable', 'the server stops');
    if (this.running !== null) return new Refusal('conflict', 'a backup is under way');
    const startedAt = new Date(this.options.now()).toISOString();
    const path = join(folder, name ?? `stepwell-${startedAt.replaceAll(/[:.]/g, '-')}`);
    const paced = new PacedDisk(disk, readRate, this.options.after);
    // Taken before anything is awaited: two requests at once are one backup.
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
    } catch (error) {
      this.running = null;
      return new Refusal('unprocessable', `STEPWELL_BACKUP_DIR ${folder}: ${messageOf(error)}`);
    }
    this.last = { state: 'running', path, startedAt, doing: 'copying', bytes: 0, bytesTotal: 0 };
    this.running = { paced, ended: this.run(paced, path, startedAt) };
    return this.last;
  }

  /** Ends what is under way; nothing of it is left. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.running?.paced.stop(new LogClosed('the server stops'));
    await this.running?.ended;
  }

  private async run(paced: PacedDisk, path: string, startedAt: string): Promise<void> {
    const place = { path, startedAt };
    try {
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
      const backup = await backUp(tools, this.dataDirectory, path);
      this.last = { ...place, state: 'done', endedAt: backup.madeAt, backup };
      this.metrics.succeeded(backup, Date.parse(backup.madeAt));
      if (backup.damages.length > 0) {
        this.log.error({ path, damages: backup.damages }, 'a backup was made; data is damaged');
      } else this.log.info({ path, bytes: backup.bytes }, 'a backup was made');
    } catch (error) {
      const endedAt = new Date(this.options.now()).toISOString();
      this.last = { ...place, state: 'failed', endedAt, reason: messageOf(error) };
      this.metrics.failed();
      this.log.error({ err: error, path }, 'no backup was made');
    } finally {
      this.running = null;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
