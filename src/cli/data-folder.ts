/** The folder a server is about to make its own: made where there is none, refused if foreign. */
import { basename } from 'node:path';
import type { Disk } from '../../storage/disk.js';
import { StoreDirectory } from '../../storage/log-directory.js';
import { diskError } from '../../storage/storage-errors.js';
import { ConfigurationError } from '../config.js';
import { credentialsFile } from '../credentials.js';

/** What a file system puts into the root of a volume that holds nothing yet. */
const volumeRoot = 'lost+found';

/**
 * Leaves a folder that may be served from. Throws `ConfigurationError` where something else lives
 * (a folder that holds a store is ours, whatever lies beside it), `DiskFailure` where it cannot be
 * made or read.
 */
export async function prepareDataFolder(path: string, disk: Disk): Promise<void> {
  const names = await namesIn(path, disk);
  const directory = new StoreDirectory(path);
  const manifests = [directory.manifest(0), directory.manifest(1)].map((file) => basename(file));
  if (manifests.some((manifest) => names.includes(manifest))) return;
  // A first start that ended early has left some of these.
  const { lock, reserve, watermarks, logs, aside, quarantine } = directory;
  const parts = [lock, reserve, watermarks, logs, aside, quarantine].map((part) => basename(part));
  const own = new Set([...parts, credentialsFile, `${credentialsFile}.new`, volumeRoot]);
  const foreign = names.find((name) => !own.has(name));
  if (foreign === undefined) return;
  throw new ConfigurationError([
    `STEPWELL_DATA_DIR ${path} holds something else (${foreign}); give a folder of its own`,
  ]);
}

async function namesIn(path: string, disk: Disk): Promise<readonly string[]> {
  try {
    await disk.makeDirectory(path);
    return await disk.list(path);
  } catch (error) {
    throw diskError(`opening the data folder ${path}`, error);
  }
}
