/** Where a copy is made until it is whole, and how it comes to its name. */
import { basename, dirname, join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { StoreDirectory } from '../disk/store-directory.js';
import { errorCode, FolderNotEmpty } from '../faults/storage-errors.js';

/** What a file system puts into the root of a volume that holds nothing yet. */
export const volumeRoot = 'lost+found';

/** Removes from a folder what a copy has, and nothing else. */
type EmptyCopy = (directory: StoreDirectory) => Promise<void>;

/** In a folder that is there already: the copy that is on its way to it. */
const unfinished = 'copy.partial';

/**
 * Beside the folder where there is none yet: the whole copy gets its name in one step. Within a
 * folder that is there: it may be a volume, a link or the present directory, none of which can be
 * replaced, and its disk may be another one than that beside it.
 */
export class CopyPlace {
  /** The copy begins to have its name. */
  private isComing = false;

  private constructor(
    private readonly disk: Disk,
    private readonly path: string,
    /** Where the copy is made. */
    readonly aside: StoreDirectory,
    private readonly isWithin: boolean,
    private readonly empty: EmptyCopy,
  ) {}

  /**
   * Removes what earlier copies to `to` have left. Rejects with `FolderNotEmpty` where there is
   * anything else in it.
   */
  static async make(disk: Disk, to: string, empty: EmptyCopy): Promise<CopyPlace> {
    const path = join(dirname(to), basename(to));
    const beside = new StoreDirectory(`${path}.partial`);
    const within = new StoreDirectory(join(path, unfinished));
    const names = await namesIn(disk, to);
    if (names?.some((name) => name !== volumeRoot && name !== unfinished)) {
      throw new FolderNotEmpty(path);
    }
    const isWithin = names !== null;
    const place = new CopyPlace(disk, path, isWithin ? within : beside, isWithin, empty);
    await place.remove(beside);
    if (isWithin) await place.remove(within);
    return place;
  }

  /**
   * Gives the copy, all of which is durable, its name, durably. `notes` are the files that say what
   * it is: into a folder that was there they come first, and last the manifests, without which it
   * is not served from, so that a crash on the way leaves no part that is taken for the whole.
   */
  async finish(notes: readonly string[]): Promise<void> {
    const { disk, aside, path } = this;
    this.isComing = true;
    if (!this.isWithin) {
      await disk.rename(aside.path, path);
      await disk.syncDirectory(dirname(path));
      return;
    }
    const names = await disk.list(aside.path);
    const manifests = [aside.manifest(0), aside.manifest(1)].map((file) => basename(file));
    const others = names.filter((name) => !notes.includes(name) && !manifests.includes(name));
    for (const part of [names.filter((name) => notes.includes(name)), others, manifests]) {
      for (const name of part) await disk.rename(join(aside.path, name), join(path, name));
      await disk.syncDirectory(path);
    }
    await disk.removeDirectory(aside.path);
    await disk.syncDirectory(path);
  }

  /** Removes all of a copy that has failed; a folder that was there stays. */
  async abandon(): Promise<void> {
    const made = new StoreDirectory(this.path);
    if (this.isComing && this.isWithin) await this.empty(made);
    if (this.isComing && !this.isWithin) await this.remove(made);
    await this.remove(this.aside);
  }

  private async remove(directory: StoreDirectory): Promise<void> {
    const { path } = directory;
    if (!(await this.disk.list(dirname(path))).includes(basename(path))) return;
    await this.empty(directory);
    await this.disk.removeDirectory(path);
  }
}

async function namesIn(disk: Disk, path: string): Promise<readonly string[] | null> {
  try {
    return await disk.list(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
