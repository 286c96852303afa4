/** The manifest of an open store: an edit that fails ends the store, unless it only lacks room. */
import type { FileSync } from '../disk/file-sync.js';
import type { FreeSpace } from '../disk/free-space.js';
import type { Fence } from '../faults/fence.js';
import { DiskFull } from '../faults/storage-errors.js';
import type { ManifestEdit, ManifestState } from './manifest.js';
import type { ManifestFile } from './manifest-file.js';

/** Makes the edits of all logs. */
export class ManifestKeeper {
  constructor(
    private readonly file: ManifestFile,
    private readonly freeSpace: FreeSpace,
    private readonly fence: Fence,
    private readonly fileSync: FileSync,
  ) {}

  /** The state after all durable edits. */
  get state(): ManifestState {
    return this.file.state;
  }

  /**
   * Makes an edit durable. Rejects with `DiskFull` if there is no room for it: it has no effect
   * then. Fences the store if it fails otherwise.
   */
  async edit(edit: ManifestEdit): Promise<void> {
    const doing = 'writing the manifest';
    try {
      await this.append(edit);
    } catch (error) {
      if (error instanceof DiskFull) throw this.freeSpace.outOfRoom(doing, error);
      throw this.fence.fail(doing, error);
    }
  }

  /**
   * Durably records which write-ahead log counts, if any. Rejects with `DiskFull` if there is no
   * room to record it, and fences the store if that fails otherwise.
   */
  async writesAhead(id: Buffer | null): Promise<void> {
    try {
      await this.fileSync.watched(() => this.file.writesAhead(id));
    } catch (error) {
      throw error instanceof DiskFull ? error : this.fence.fail('writing the manifest', error);
    }
  }

  /**
   * The files of a dropped log are durably gone: the next generation does not list it. This needs
   * no edit, because a start would find the same.
   */
  dropDone(id: number): void {
    const { file } = this;
    file.state = { ...file.state, dropped: file.state.dropped.filter((each) => each !== id) };
  }

  /** Waits for running edits and closes the files. */
  close(): Promise<void> {
    return this.file.close();
  }

  /** An edit that frees more room than it takes may use the reserve, piece by piece. */
  private async append(edit: ManifestEdit): Promise<void> {
    const freesRoom = edit.type === 'trimmed' || edit.type === 'logDropped';
    for (;;) {
      try {
        return await this.fileSync.watched(() => this.file.append(edit));
      } catch (error) {
        const isFull = error instanceof DiskFull;
        const isRoomMade = freesRoom && isFull && (await this.freeSpace.spendPiece());
        if (!isRoomMade) throw error;
      }
    }
  }
}
