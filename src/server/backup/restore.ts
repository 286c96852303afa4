/** Makes a data folder from a backup: verified, and never in place. */

import { type BackupReport, backupFolder } from '../../../storage/backup/backup-folder.js';
import { DamagedData } from '../../../storage/faults/storage-errors.js';
import { partitionOfLog } from '../../topics/topics/topic-log-name.js';
import { nodesLogName } from '../cluster/follower-places.js';
import { dropsLogName } from '../cluster/kept/dropped-logs.js';
import { placeLogName } from '../cluster/kept/kept-place.js';
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
import { skippedOffsetsDefault } from './skipped-offsets.js';

/** The result of a restore. */
export interface Restored {
  readonly manifest: BackupManifest;
  /** Whether the backup contained the credentials file. */
  readonly hasCredentials: boolean;
  /** How many offsets of each partition are skipped after its end. */
  readonly skippedOffsets: number;
  /** Whether the folder continues with the shared log that it was following. */
  readonly isOfNode: boolean;
}

/** How a backup is restored. */
export interface RestoreSettings {
  /**
   * How many offsets of each partition to skip after its end; if absent, as the backup requires.
   */
  readonly skip?: number;
  /** The folder leaves the shared log that it was following, as if it had never followed one. */
  readonly forgetsSharedLog?: boolean;
}

/** Logs in which a folder keeps notes about the shared log that it follows, not data of its own. */
const sharedLogNotes: readonly string[] = [placeLogName, dropsLogName, nodesLogName];

/**
 * Restores `backup` to `folder`, which must be empty or absent: every file is copied, none is
 * shared. `skippedIn` determines the skipped offsets. Rejects with `ConfigurationError` if there is
 * no backup, one folder lies in the other, or offsets are to be skipped for a node of a cluster;
 * with `DamagedData` if the backup does not hold what its description says; and as `backupFolder`
 * does. Nothing is left in `folder` then.
 */
export async function restore(
  { disk, options, onProgress }: BackupTools,
  backup: string,
  folder: string,
  { skip, forgetsSharedLog = false }: RestoreSettings = {},
): Promise<Restored> {
  refuseOverlap(backup, folder);
  const manifest = await readBackupManifest(disk, backup);
  if (manifest === null) {
    throw new ConfigurationError([`${backup} is no backup: it holds no ${backupFile}`]);
  }
  const isOfNode = !forgetsSharedLog && hasFollowed(manifest);
  const leavesOut = (name: string) => forgetsSharedLog && sharedLogNotes.includes(name);
  const skippedOffsets = skippedIn(isOfNode, skip);
  const credentials = await credentialsIn(disk, backup);
  await backupFolder(disk, backup, folder, options, {
    sharesFiles: false,
    leavesOut,
    skippedOffsets: (name) => (partitionOfLog(name) === null ? 0 : skippedOffsets),
    onProgress,
    beside: {
      names: [credentialsFile, restoredFile],
      make(report) {
        const logs = manifest.logs.filter(({ name }) => !leavesOut(name));
        requireSame(backup, { ...manifest, logs }, report);
        const restoredAt = new Date(options.now()).toISOString();
        const said = { restoredAt, skippedOffsets, from: manifest };
        return new Map([...credentials, [restoredFile, encoded(said)]]);
      },
    },
  });
  return { manifest, hasCredentials: credentials.size > 0, skippedOffsets, isOfNode };
}

/** Whether the folder has followed a shared log: from then on, it keeps its place in that log. */
function hasFollowed({ logs }: BackupManifest): boolean {
  return logs.some(({ name, until }) => name === placeLogName && until > 0);
}

/**
 * Offsets after the ends of a node's logs belong to records that it has yet to follow, so none may
 * be skipped.
 */
function skippedIn(isOfNode: boolean, skip?: number): number {
  if (!isOfNode) return skip ?? skippedOffsetsDefault;
  if (skip === undefined || skip === 0) return 0;
  throw new ConfigurationError([
    'this is the folder of a node of a cluster, which goes on from the shared log: ' +
      'no offsets can be left out, so restore it without --skip-offsets',
  ]);
}

/**
 * Takes over a backup that is used for nothing else as `folder`, sharing its files. It is verified
 * as in a restore, but no offset is skipped, as the folder continues exactly where its source does.
 * Rejects as `restore` does.
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

/** Throws if the folder is readable without errors but is not what was backed up. */
function requireSame(backup: string, manifest: BackupManifest, report: BackupReport): void {
  const ends = manifest.logs.map(({ name, until }) => [name, until]);
  const found = [...report.until];
  const isSame =
    report.storeId === manifest.storeId &&
    JSON.stringify(ends.toSorted()) === JSON.stringify(found.toSorted()) &&
    report.damages.length <= manifest.damages.length &&
    JSON.stringify(report.lost) ===
      JSON.stringify(manifest.lost.filter(({ until }) => until !== null));
  if (isSame) return;
  const range = { file: backup, from: 0, to: 0, lastGoodOffset: null };
  throw new DamagedData(range, `it does not hold what its ${backupFile} says`);
}
