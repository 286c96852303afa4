/** A data folder made from a backup: verified, and never in place. */

import { type BackupReport, backupFolder } from '../../../storage/backup/backup-folder.js';
import { DamagedData } from '../../../storage/faults/storage-errors.js';
import { partitionOfLog } from '../../topics/topics/topic-log-name.js';
import { ConfigurationError } from '../configuration/config.js';
import { credentialsFile } from '../credentials/credentials.js';
import {
  type BackupManifest,
  backupFile,
  encoded,
  readBackupManifest,
  restoredFile,
} from './backup-manifest.js';
import { type BackupTools, credentialsIn, refuseOverlap } from './folder-backup.js';

/** What was restored. */
export interface Restored {
  readonly manifest: BackupManifest;
  /** The file of credentials came with it. */
  readonly hasCredentials: boolean;
}

/**
 * Restores `backup` to `folder`, which must be empty or absent: every file is copied, and shared
 * with nothing. Rejects with `ConfigurationError` where there is no backup or one folder lies in
 * the other, with `DamagedData` where the backup does not hold what it says, and as `backupFolder`
 * does; nothing is left in `folder` then.
 */
export async function restore(
  { disk, options, onProgress }: BackupTools,
  backup: string,
  folder: string,
  skippedOffsets: number,
): Promise<Restored> {
  refuseOverlap(backup, folder);
  const manifest = await readBackupManifest(disk, backup);
  if (manifest === null) {
    throw new ConfigurationError([`${backup} is no backup: it holds no ${backupFile}`]);
  }
  const credentials = await credentialsIn(disk, backup);
  await backupFolder(disk, backup, folder, options, {
    sharesFiles: false,
    skippedOffsets: (name) => (partitionOfLog(name) === null ? 0 : skippedOffsets),
    onProgress,
    beside: {
      names: [credentialsFile, restoredFile],
      make(report) {
        requireSame(backup, manifest, report);
        const restoredAt = new Date(options.now()).toISOString();
        const said = { restoredAt, skippedOffsets, from: manifest };
        return new Map([...credentials, [restoredFile, encoded(said)]]);
      },
    },
  });
  return { manifest, hasCredentials: credentials.size > 0 };
}

/**
 * Takes a backup that is used for nothing else into `folder`, whose files it shares: verified as a
 * restore is, but no offset is left out, as it goes on from where its source goes on. Rejects as
 * `restore` does.
 */
export async function takeBackup(
  { disk, options, onProgress }: BackupTools,
  backup: string,
  folder: string,
): Promise<void> {
  const manifest = await readBackupManifest(disk, backup);
  if (manifest === null) {
    throw new ConfigurationError([`${backup} is no backup: it holds no ${backupFile}`]);
  }
  const make = (report: BackupReport) => {
    requireSame(backup, manifest, report);
    return new Map<string, Buffer>();
  };
  await backupFolder(disk, backup, folder, options, { onProgress, beside: { names: [], make } });
}

/** Throws where the folder reads as intact and yet is not what was backed up. */
function requireSame(backup: string, manifest: BackupManifest, report: BackupReport): void {
  const ends = manifest.logs.map(({ name, until }) => [name, until]);
  const found = [...report.until];
  const isSame =
    report.storeId === manifest.storeId &&
    JSON.stringify(ends.toSorted()) === JSON.stringify(found.toSorted()) &&
    report.damages.length <= manifest.damages.length &&
    JSON.stringify(report.lost.map((part) => ({ ...part, until: part.until }))) ===
      JSON.stringify(manifest.lost.filter(({ until }) => until !== null));
  if (isSame) return;
  const range = { file: backup, from: 0, to: 0, lastGoodOffset: null };
  throw new DamagedData(range, `it does not hold what its ${backupFile} says`);
}
