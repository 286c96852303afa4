/** Where a copy is made until it is whole, and how it comes to its name. */
import { basename, dirname, join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { StoreDirectory } from '../disk/store-directory.js';
import {
  CopyUnderWay,
  errorCode,
  FolderNotEmpty,
  LockUnavailable,
} from '../faults/storage-errors.js';

/** What a file system puts into the root of a volume that holds nothing yet. */
export const volumeRoot = 'lost+found';

/** Removes from a folder what a copy has, and nothing else. */
type EmptyCopy = (directory: StoreDirectory) => Promise<void>;

/** In a folder that is there already: the copy that is on its way to it. */
const unfinished = 'copy.partial';

/** Beside the logs of a copy that is being made: locked by the process that makes it. */
const marker = 'COPYING';

/** What file systems without locks say. */
const unlockable = new Set(['ENOLCK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/**
 * Beside the folder where there is none yet: the whole copy gets its name in one step. Within a
 * folder that is there: it may be a volume, a link or the present directory, none of which can be
 * replaced, and its disk may be another one than that beside it.
 */
export class CopyPlace {
  /** The copy begins to have its name. */
  private isComing = false;
  /** Lets the next copy to this folder begin. */
  private release: () => Promise<void> = async () => undefined;

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
   * anything else in it, and with `CopyUnderWay` where another process makes one.
   */
  static async make(disk: Disk, to: string, empty: EmptyCopy): Promise<CopyPlace> {
    const path = join(dirname(to), basename(to));
    const beside = new StoreDirectory(`${path}.partial`);
    const within = new StoreDirectory(join(path, unfinished));
    const names = await namesIn(disk, to);
    if (names?.some(isOther)) throw new FolderNotEmpty(path);
    const isWithin = names !== null;
    const place = new CopyPlace(disk, path, isWithin ? within : beside, isWithin, empty);
    if (isWithin) await CopyPlace.removeUnfinished(disk, to, empty);
    await place.begin();
    return place;
  }

  /** Removes what copies have left beside `to`, unless one is being made there now. */
  static async removeUnfinished(disk: Disk, to: string, empty: EmptyCopy): Promise<void> {
    const path = join(dirname(to), basename(to));
    const beside = new StoreDirectory(`${path}.partial`);
    const place = new CopyPlace(disk, path, beside, false, empty);
    if (!(await disk.list(dirname(path))).includes(basename(beside.path))) return;
    try {
      await place.begin();
    } catch (error) {
      if (error instanceof CopyUnderWay) return;
      throw error;
    }
    await place.abandon();
  }

  /**
   * Gives the copy, all of which is durable, its name, durably. `notes` are the files that say what
   * it is: into a folder that was there they come first, and last the manifests, without which it
   * is not served from, so that a crash on the way leaves no part that is taken for the whole.
   */
  async finish(notes: readonly string[]): Promise<void> {
    const { disk, aside, path } = this;
    this.isComing = true;
    // The marker goes last: without it another copy would begin here, and remove this one.
    if (this.isWithin) await this.moveIn(notes);
    else {
      await disk.rename(aside.path, path);
      await disk.syncDirectory(dirname(path));
      await this.removeMarker(path);
      await disk.syncDirectory(path);
    }
    await this.release();
  }

  /** Removes all of a copy that has failed; a folder that was there stays. */
  async abandon(): Promise<void> {
    const made = new StoreDirectory(this.path);
    try {
      if (this.isComing && this.isWithin) await this.empty(made);
      if (this.isComing && !this.isWithin) await this.remove(made);
      await this.remove(this.aside);
    } finally {
      await this.release();
    }
  }

  private get marker(): string {
    return join(this.aside.path, marker);
  }

  /** The place is this copy's alone from now on, and empty. */
  private async begin(): Promise<void> {
    const { disk, aside, path } = this;
    await disk.makeDirectory(aside.path);
    const release = await this.lock();
    if (release === null) throw new CopyUnderWay(path);
    this.release = release;
    try {
      // One that was being made until now may have come to its name.
      if ((await namesIn(disk, path))?.some(isOther)) throw new FolderNotEmpty(path);
      await this.empty(aside);
      if ((await disk.list(aside.path)).some((name) => name !== marker)) {
        throw new FolderNotEmpty(aside.path);
      }
    } catch (error) {
      await disk.remove(this.marker).catch(() => undefined);
      // Where it holds what is not of a copy it stays.
      await disk.removeDirectory(aside.path).catch(() => undefined);
      await release();
      throw error;
    }
  }

  /** Null = another copy is being made here. */
  private async lock(): Promise<(() => Promise<void>) | null> {
    try {
      return await this.disk.lock(this.marker);
    } catch (error) {
      const isWithout = error instanceof LockUnavailable || unlockable.has(errorCode(error));
      if (isWithout) return () => Promise.resolve();
      throw error;
    }
  }

  private async moveIn(notes: readonly string[]): Promise<void> {
    const { disk, aside, path } = this;
    const names = (await disk.list(aside.path)).filter((name) => name !== marker);
    const manifests = [aside.manifest(0), aside.manifest(1)].map((file) => basename(file));
    const others = names.filter((name) => !notes.includes(name) && !manifests.includes(name));
    for (const part of [names.filter((name) => notes.includes(name)), others, manifests]) {
      for (const name of part) await disk.rename(join(aside.path, name), join(path, name));
      await disk.syncDirectory(path);
    }
    await this.removeMarker(aside.path);
    await disk.removeDirectory(aside.path);
    await disk.syncDirectory(path);
  }

  /** A file system without locks may have made none. */
  private async removeMarker(folder: string): Promise<void> {
    await this.disk.remove(join(folder, marker)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }

  private async remove(directory: StoreDirectory): Promise<void> {
    const { path } = directory;
    if (!(await this.disk.list(dirname(path))).includes(basename(path))) return;
    await this.empty(directory);
    await this.removeMarker(path);
    await this.disk.removeDirectory(path);
  }
}

/** Neither of a copy to the folder, nor of every new volume. */
function isOther(name: string): boolean {
  return name !== volumeRoot && name !== unfinished;
}

async function namesIn(disk: Disk, path: string): Promise<readonly string[] | null> {
  try {
    return await disk.list(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
