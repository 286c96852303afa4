/**
 * Checks who a data folder belongs to: creates a missing one, refuses a foreign one, or requires an
 * existing one of ours.
 */
import { basename } from 'node:path';
import { volumeRoot } from '../../../storage/backup/copy-place.js';
import type { Disk } from '../../../storage/disk/disk.js';
import { lockForReading } from '../../../storage/disk/lock-for-reading.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { StoreDirectory } from '../../../storage/disk/store-directory.js';
import { DirectoryInUse, diskError, errorCode } from '../../../storage/faults/storage-errors.js';
import { backupFile } from '../../server/backup/backup-manifest.js';
import {
  type Configuration,
  ConfigurationError,
  readConfiguration,
  type ServerMode,
} from '../../server/configuration/config.js';
import { credentialsFile } from '../../server/credentials/credentials.js';
import { clockFile } from '../../server/development/kept-clock.js';
import { addressFile } from '../../server/lifecycle/kept-address.js';
import type { DataDirOption } from './folder-option.js';

/**
 * Prepares a folder that can be served from. Throws `ConfigurationError` if it holds a backup or
 * something else (a folder with a store is ours, whatever else is in it), and `DiskFailure` if it
 * cannot be created or read.
 */
export async function prepareDataFolder(path: string, disk: Disk): Promise<void> {
  await during(path, () => disk.makeDirectory(path));
  const names = await during(path, () => disk.list(path));
  const directory = new StoreDirectory(path);
  // The files of a backup may be shared with the folder that it was made from.
  if (names.includes(backupFile)) {
    throw new ConfigurationError([
      `STEPWELL_DATA_DIR ${path} is a backup: restore it to a new folder`,
    ]);
  }
  if (holds(names, directory.manifest(0), directory.manifest(1))) return;
  // A first start that was interrupted may have left some of these.
  const { lock, reserve, watermarks, logs, aside, quarantine } = directory;
  const parts = [lock, reserve, watermarks, logs, aside, quarantine].map((part) => basename(part));
  const files = [credentialsFile, addressFile, clockFile].flatMap((name) => [name, `${name}.new`]);
  const own = new Set([...parts, ...files, volumeRoot]);
  const foreign = names.find((name) => !own.has(name));
  if (foreign === undefined) return;
  throw new ConfigurationError([
    `STEPWELL_DATA_DIR ${path} contains other files (${foreign}); use a folder of its own`,
  ]);
}

/**
 * Runs `work` while no other process can use the folder. Otherwise two simultaneous first starts
 * would each create credentials, and the one that fails would leave its own behind. If the server
 * must not change anything, the folder may be unwritable. Throws `DirectoryInUse`.
 */
export async function whileOwned<T>(
  path: string,
  disk: Disk,
  changesNothing: boolean,
  work: () => Promise<T>,
): Promise<T> {
  const { lock } = new StoreDirectory(path);
  const release = await during(path, () =>
    changesNothing ? lockForReading(disk, lock) : disk.lock(lock),
  );
  if (release === null) throw new DirectoryInUse(path);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** The settings of this process, with the data folder that the command names. */
export function configurationOf(
  { dataDir }: DataDirOption,
  mode: ServerMode = 'start',
): Configuration {
  const given = dataDir === undefined ? {} : { dataDirectory: dataDir };
  return readConfiguration(undefined, mode, given);
}

/** The configured data folder, which must exist: throws `ConfigurationError` otherwise. */
export async function configuredFolder(options: DataDirOption): Promise<string> {
  const { config } = configurationOf(options);
  await requireDataFolder(config.dataDirectory, nodeDisk);
  return config.dataDirectory;
}

/** Throws `ConfigurationError` if the folder holds no data of ours. */
async function requireDataFolder(path: string, disk: Disk): Promise<void> {
  const directory = new StoreDirectory(path);
  const names = await disk.list(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw diskError(`opening the data folder ${path}`, error);
  });
  // Logs without a manifest are damage, which the command reports when it opens the store.
  if (holds(names, directory.manifest(0), directory.manifest(1), directory.logs)) return;
  throw new ConfigurationError([`STEPWELL_DATA_DIR ${path} contains no data of Stepwell`]);
}

function holds(names: readonly string[], ...paths: readonly string[]): boolean {
  return paths.some((path) => names.includes(basename(path)));
}

async function during<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskError(`opening the data folder ${path}`, error);
  }
}
