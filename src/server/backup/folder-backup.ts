/** A backup of a data folder: its logs at one moment, its credentials, and a description. */
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

/** The files of a backup besides the logs. */
const besideLogs = [credentialsFile, backupFile];

/** What a backup needs. */
export interface BackupTools {
  readonly disk: Disk;
  /** For reading a store; they also say which logs can be used despite damage. */
  readonly options: StoreOptions;
  onProgress(progress: CopyProgress): void;
}

/**
 * Backs up `from` to `to`, which must be empty or absent; a server may use `from` meanwhile.
 * Signing keys and tokens kept in the folder are included. Rejects with `ConfigurationError` if one
 * folder lies in the other, and as `backupFolder` does.
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
 * Throws `ConfigurationError` if the copy would lie inside its source, whose owner removes files
 * that it does not know, or would contain the source.
 */
export function refuseOverlap(from: string, to: string): void {
  if (!isWithin(from, to) && !isWithin(to, from)) return;
  throw new ConfigurationError([
    `${from} and ${to} must not contain each other: give a folder elsewhere`,
  ]);
}

/** Like `backUp`, for a server that keeps copies inside its own data folder. */
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

/** Like `removeUnfinished`, for a backup to `to` that was killed. */
export function removeUnfinishedBackup(disk: Disk, to: string): Promise<void> {
  return removeUnfinished(disk, to, besideLogs);
}

/** The file with the credentials, by its name; empty if all credentials are configured. */
export async function credentialsIn(disk: Disk, folder: string): Promise<Map<string, Buffer>> {
  const path = join(folder, credentialsFile);
  try {
    return new Map([[credentialsFile, await readWhole(disk, path)]]);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map();
    throw diskError(`reading ${path}`, error);
  }
}
