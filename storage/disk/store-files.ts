/** The files of one open store, for every part of it that reads or changes them. */
import type { Disk } from './disk.js';
import type { OpenFiles } from './open-files.js';
import type { StoreDirectory } from './store-directory.js';

/** A disk, and the data folder on it. */
export interface StoreFiles {
  readonly disk: Disk;
  /** Where each of them lies. */
  readonly directory: StoreDirectory;
  /** Those that are held open. */
  readonly openFiles: OpenFiles;
}
