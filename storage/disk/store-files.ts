/** The files of one open store, for every part of the store that reads or changes them. */
import type { Disk } from './disk.js';
import type { OpenFiles } from './open-files.js';
import type { StoreDirectory } from './store-directory.js';

/** A disk, and the data folder on it. */
export interface StoreFiles {
  readonly disk: Disk;
  /** The paths of the files. */
  readonly directory: StoreDirectory;
  /** The files that are held open. */
  readonly openFiles: OpenFiles;
}
