/** Where a copy is made until it is complete, and how it gets its final name. */
import { basename, dirname, join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { StoreDirectory } from '../disk/store-directory.js';
import {
  CopyUnderWay,
  errorCode,
  FolderNotEmpty,
  LockUnavailable,
} from '../faults/storage-errors.js';

/** What file systems put into the root of a new volume. */
export const volumeRoot = 'lost+found';

/** Removes the parts of a copy from a folder, and nothing else. */
type EmptyCopy = (directory: StoreDirectory) => Promise<void>;

/** The unfinished copy within a folder that exists already. */
const unfinished = 'copy.partial';

/** A file beside the logs of an unfinished copy, locked by the process that makes it. */
const marker = 'COPYING';

/** Error codes of file systems without locks. */
const unlockable = new Set(['ENOLCK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/**
 * If the target folder does not exist, the copy is made beside it, and gets its name in one step.
 * If the folder exists, the copy is made within it: the folder may be a volume, a link or the
 * current directory, none of which can be replaced, and may be on another disk than its parent.
 */
export class CopyPlace {
  /** The copy has begun to get its final name. */
  private isComing = false;
  /** Releases the lock, so that the next copy to this folder can begin. */
  private release: () => Promise<void> = async () => undefined;

  private constructor(
    private readonly disk: Disk,
    private readonly path: string,
    /** The folder in which the copy is made. */
    readonly aside: StoreDirectory,
    private readonly isWithin: boolean,
    private readonly empty: EmptyCopy,
  ) {}

  /**
   * Removes what earlier copies to `to` have left. Rejects with `FolderNotEmpty` if the folder
   * contains anything else, and with `CopyUnderWay` if another process makes a copy there.
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
   * Durably gives the copy, all of which is durable, its final name. `notes` are files that
   * describe it. In a folder that existed before, they are moved first and the manifests last.
   * Without manifests the folder cannot be opened, so a crash in between leaves no part that looks
   * complete.
   */
  async finish(notes: readonly string[]): Promise<void> {
    const { disk, aside, path } = this;
    this.isComing = true;
    // The marker is removed last: without it another copy would begin here, and remove this one.
    if (this.isWithin) await this.moveIn(notes);
    else {
      await disk.rename(aside.path, path);
      await disk.syncDirectory(dirname(path));
      await this.removeMarker(path);
      await disk.syncDirectory(path);
    }
    await this.release();
  }

  /** Removes a copy that has failed; a folder that existed before stays. */
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

  /** Claims the place for this copy, and empties it. */
  private async begin(): Promise<void> {
    const { disk, aside, path } = this;
    await disk.makeDirectory(aside.path);
    const release = await this.lock();
    if (release === null) throw new CopyUnderWay(path);
    this.release = release;
    try {
      // A copy that was being made until now may have got its final name.
      if ((await namesIn(disk, path))?.some(isOther)) throw new FolderNotEmpty(path);
      await this.empty(aside);
      if ((await disk.list(aside.path)).some((name) => name !== marker)) {
        throw new FolderNotEmpty(aside.path);
      }
    } catch (error) {
      await disk.remove(this.marker).catch(() => undefined);
      // The folder stays if it contains anything that is not of a copy.
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

  /** There may be no marker: a file system without locks may not have created one. */
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

/** Whether a name is neither an unfinished copy nor part of every new volume. */
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
