/** The manifest of an open store: an edit that fails ends the store, but for want of room. */
import type { FileSync } from '../disk/file-sync.js';
import type { FreeSpace } from '../disk/free-space.js';
import type { Fence } from '../faults/fence.js';
import { DiskFull } from '../faults/storage-errors.js';
import type { ManifestEdit, ManifestState } from './manifest.js';
import type { ManifestFile } from './manifest-file.js';

/** Takes the edits of all logs. */
export class ManifestKeeper {
  constructor(
    private readonly file: ManifestFile,
    private readonly freeSpace: FreeSpace,
    private readonly fence: Fence,
    private readonly fileSync: FileSync,
  ) {}

  /** What the durable edits say. */
  get state(): ManifestState {
    return this.file.state;
  }

  /**
   * Makes an edit durable. Rejects with `DiskFull` where there is no room for it: it has no effect
   * then. Fences the store where it fails.
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
   * Says, durably, which write-ahead log counts, if any. Rejects with `DiskFull` where there is no
   * room to say it, and fences the store where that fails.
   */
  async writesAhead(id: Buffer | null): Promise<void> {
    try {
      await this.fileSync.watched(() => this.file.writesAhead(id));
    } catch (error) {
      throw error instanceof DiskFull ? error : this.fence.fail('writing the manifest', error);
    }
  }

  /**
   * The files of a dropped log are gone, durably: the next generation does not name it. An edit
   * would say no more than a start finds out.
   */
  dropDone(id: number): void {
    const { file } = this;
    file.state = { ...file.state, dropped: file.state.dropped.filter((each) => each !== id) };
  }

  /** Waits for the edits under way and lets go of the files. */
  close(): Promise<void> {
    return this.file.close();
  }

  /** An edit that frees more than it takes has the reserve, piece by piece. */
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
