/** The end of a store after a failed write: reported once to all of its logs, and final. */
import { DiskFailure, DiskFull, isNoSpace, StorageError } from './storage-errors.js';

/** After a failed write nothing is known about the disk: restart is the rollback. */
export class Fence {
  error: StorageError | null = null;
  /** Called in the same tick as the first failure. */
  readonly closed: ((error: StorageError) => void)[] = [];

  /**
   * Fences the store, if it is not fenced yet; returns the error for every caller. Never
   * `DiskFull`, which would say for certain that nothing was stored.
   */
  fail(doing: string, cause: unknown): StorageError {
    if (this.error !== null) return this.error;
    const isTyped = cause instanceof StorageError && !(cause instanceof DiskFull);
    const error = isTyped ? cause : new DiskFailure(doing, cause);
    this.error = error;
    for (const tell of this.closed) tell(error);
    return error;
  }

  /** Whether the error is only a lack of room, and the store can continue without the work. */
  lacksRoom(error: unknown): boolean {
    return this.error === null && (error instanceof DiskFull || isNoSpace(error));
  }
}
