/** The folder that is copied, read by another process that takes no lock. */
import type { Disk } from '../disk/disk.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { type DamagedData, errorCode } from '../faults/storage-errors.js';
import type { ManifestLog } from '../manifest/manifest.js';

/** Where the source is. */
export interface SourceFolder {
  readonly disk: Disk;
  readonly directory: StoreDirectory;
}

/** The source no longer holds what was being copied: the copy begins again. */
export class SourceChanged extends Error {}

/**
 * A log does not read back as it was acknowledged. Data that is being written may look like this,
 * so it counts as damage only if it is found again and again.
 */
export class LogBroken extends Error {
  constructor(
    readonly log: ManifestLog,
    readonly damage: DamagedData,
  ) {
    super(damage.message);
  }
}

/** Runs `work` on files of the source. A file that is gone was replaced, trimmed or dropped. */
export async function unlessGone<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new SourceChanged('a file is gone', { cause: error });
    throw error;
  }
}
