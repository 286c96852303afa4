/** The folder that is copied, as another process sees it that takes no lock. */
import type { Disk } from '../disk/disk.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { errorCode } from '../faults/storage-errors.js';

/** Where the source lies. */
export interface SourceFolder {
  readonly disk: Disk;
  readonly directory: StoreDirectory;
}

/** What was being copied is not what the source holds any more: the copy begins again. */
export class SourceChanged extends Error {}

/** Runs `work` on files of the source; one that is gone was replaced, trimmed or dropped. */
export async function unlessGone<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new SourceChanged('a file is gone', { cause: error });
    throw error;
  }
}
