/** What `stepwell backup` and `stepwell restore` do, and what they report about the copy. */
import type { CopyProgress } from '../../../storage/backup/backup-folder.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { systemClock } from '../../engine/clock.js';
import { journalLogName } from '../../engine/journal.js';
import type { BackupManifest } from '../../server/backup/backup-manifest.js';
import { backUp } from '../../server/backup/folder-backup.js';
import { type Restored, restore } from '../../server/backup/restore.js';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { readerOptions } from '../journal/journal-reader.js';
import { printError, printLines, progressLine } from '../output/terminal.js';
import { sizeWords } from '../output/time-words.js';
import type { DataDirOption } from './folder-option.js';
import { configuredFolder } from './owned-folder.js';

const megabyte = 1024 * 1024;

/** Options of a restore besides the folders. */
export interface RestoreOptions {
  /** Offsets of each partition that are not assigned again; if absent, the backup determines it. */
  readonly skipOffsets?: number;
  /** The folder is for the first node of a new shared log. */
  readonly newSharedLog?: boolean;
}

/**
 * Rejects as `backUp` does; then nothing remains of the copy. Damage in the copy is printed to
 * standard error.
 */
export async function backup(folder: string, options: DataDirOption): Promise<void> {
  const from = await configuredFolder(options);
  const manifest = await withProgress((onProgress) => backUp(tools(onProgress), from, folder));
  await printLines([`backed up ${from} to ${folder}`, ...linesOf(manifest)]);
  tellDamage(manifest);
}

/** Rejects as `restore` does; then nothing remains of the folder. */
export async function restoreFolder(
  backup: string,
  folder: string,
  { skipOffsets, newSharedLog = false }: RestoreOptions,
): Promise<void> {
  const settings = {
    forgetsSharedLog: newSharedLog,
    ...(skipOffsets !== undefined && { skip: skipOffsets }),
  };
  const restored = await withProgress((onProgress) =>
    restore(tools(onProgress), backup, folder, settings),
  );
  const { manifest, hasCredentials } = restored;
  await printLines([
    `restored ${folder} from ${backup}`,
    ...linesOf(manifest),
    hasCredentials
      ? 'credentials and signing keys: as they were'
      : 'credentials and signing keys: none were kept; give those that were configured',
    endsLine(restored),
    'messages and runs that were active then continue at the next start: do not run a server on the ' +
      'old folder any more',
  ]);
  tellDamage(manifest);
}

function endsLine({ isOfNode, skippedOffsets }: Restored): string {
  return isOfNode
    ? 'partitions continue at their ends, because this is the folder of a node of a cluster, ' +
        'which keeps its log; for another log, or none, restore it with --new-shared-log'
    : `partitions continue ${skippedOffsets} offsets after their ends`;
}

function linesOf({ madeAt, version, storeId, epoch, bytes, sharedBytes, logs }: BackupManifest) {
  const journal = logs.find(({ name }) => name === journalLogName)?.until ?? 0;
  const count = logs.filter(({ name }) => name !== journalLogName).length;
  const others = `${count} other ${count === 1 ? 'log' : 'logs'}`;
  return [
    `made at ${madeAt} by version ${version}, of store ${storeId}, start ${epoch}`,
    `journal up to offset ${journal}, and ${others}: ${sizeWords(bytes)}`,
    ...(sharedBytes > 0
      ? [`${sizeWords(sharedBytes)} of it are shared with the data folder on the disk`]
      : []),
  ];
}

/** Reports damage: the copy is complete as a folder, but lacks some of what was acknowledged. */
function tellDamage({ damages, lost }: BackupManifest): void {
  for (const damage of damages) printError(damage);
  for (const { log, from, until } of lost) {
    printError(`${log}: missing are offsets ${from} to ${until === null ? 'its end' : until - 1}`);
  }
  if (damages.length > 0) process.exitCode = exitCodes.damagedData;
}

function tools(onProgress: (progress: CopyProgress) => void) {
  return { disk: nodeDisk, options: readerOptions, onProgress };
}

async function withProgress<T>(
  work: (onProgress: (progress: CopyProgress) => void) => Promise<T>,
): Promise<T> {
  const line = progressLine(systemClock);
  const show = ({ doing, bytes, bytesTotal }: CopyProgress) => {
    const [done, total] = [bytes, bytesTotal].map((count) => Math.ceil(count / megabyte));
    line.show(doing === 'copying' ? 'copying' : `verified ${done} of ${total} MiB`);
  };
  return work(show).finally(line.clear);
}
