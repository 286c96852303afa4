/** Notices that the folder of an open store was removed, or that another took its place. */
import type { Disk } from '../disk/disk.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { errorCode, FolderReplaced } from '../faults/storage-errors.js';

/**
 * One per open store. Its files stay writable after the folder was removed, and what is stored in
 * them is gone once the process ends; and new files are made by path, so they would get into the
 * folder that has taken the place, which another server may use by now. The lock file shows it: a
 * lock belongs to a file, not to its path.
 */
export class FolderWatch {
  /** Called when the folder is gone. */
  lost: (error: FolderReplaced) => void = () => undefined;
  /** Which file the lock is; undefined before the first look. */
  private identity: string | null | undefined;

  constructor(
    private readonly disk: Disk,
    private readonly directory: StoreDirectory,
  ) {}

  /** Looks whether the lock file is still the one of the first look. */
  async look(): Promise<void> {
    const found = await this.found();
    if (this.identity === undefined) this.identity = found;
    if (found !== this.identity) this.lost(new FolderReplaced(this.directory.path, found === null));
  }

  /** An error of the disk says nothing about the folder; null: there is no file. */
  private async found(): Promise<string | null | undefined> {
    try {
      return await this.disk.identityOf(this.directory.lock);
    } catch (error) {
      return errorCode(error) === 'ENOENT' ? null : this.identity;
    }
  }
}
