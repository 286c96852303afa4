/** A backup of a data folder: its logs at one moment, its credentials, and what it holds. */
import { join } from 'node:path';
import {
  backupFolder,
  type CopyProgress,
  removeUnfinished,
} from '../../../storage/backup/backup-folder.js';
import type { Disk } from '../../../storage/disk/disk.js';
import { readWhole } from '../../../storage/disk/whole-file.js';
import { diskError, errorCode } from '../../../storage/faults/storage-errors.js';
import type { StoreOptions } from '../../../storage/store.js';
import { ConfigurationError } from '../configuration/config.js';
import { isWithin } from '../configuration/within.js';
import { credentialsFile } from '../credentials/credentials.js';
import { type BackupManifest, backupFile, encoded, manifestOf } from './backup-manifest.js';

/** What stands beside the logs of a backup. */
const besideLogs = [credentialsFile, backupFile];

/** What a backup is made with. */
export interface BackupTools {
  readonly disk: Disk;
  /** For reading a store; they say which logs live with damage. */
  readonly options: StoreOptions;
  onProgress(progress: CopyProgress): void;
}

/**
 * Backs `from` up to `to`, which must be empty or absent; a server may use `from` meanwhile.
 * Signing keys and tokens that the folder keeps go with it. Rejects with `ConfigurationError` where
 * one folder lies in the other, and as `backupFolder` does.
 */
export async function backUp(
  tools: BackupTools,
  from: string,
  to: string,
): Promise<BackupManifest> {
  refuseOverlap(from, to);
  return copyFolder(tools, from, to);
}

/**
 * Throws `ConfigurationError` where a copy would lie in the folder that it is made of, whose owner
 * removes what it does not know, or would hold that folder.
 */
export function refuseOverlap(from: string, to: string): void {
  if (!isWithin(from, to) && !isWithin(to, from)) return;
  throw new ConfigurationError([`${from} and ${to} lie in each other: give a folder elsewhere`]);
}

/** The same for a server that has a place for copies in its own folder. */
export async function copyFolder(
  { disk, options, onProgress }: BackupTools,
  from: string,
  to: string,
): Promise<BackupManifest> {
  const credentials = await credentialsIn(disk, from);
  let manifest: BackupManifest | null = null;
  await backupFolder(disk, from, to, options, {
    onProgress,
    beside: {
      names: besideLogs,
      make(report) {
        manifest = manifestOf(report, options.now());
        return new Map([...credentials, [backupFile, encoded(manifest)]]);
      },
    },
  });
  if (manifest === null) throw new Error('a backup was made that says nothing of itself');
  return manifest;
}

/** As `removeUnfinished`, of a backup to `to` that was killed. */
export function removeUnfinishedBackup(disk: Disk, to: string): Promise<void> {
  return removeUnfinished(disk, to, besideLogs);
}

/** The file that keeps the credentials, by its name; none where all are configured. */
export async function credentialsIn(disk: Disk, folder: string): Promise<Map<string, Buffer>> {
  const path = join(folder, credentialsFile);
  try {
    return new Map([[credentialsFile, await readWhole(disk, path)]]);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map();
    throw diskError(`reading ${path}`, error);
  }
}
