/** Seals the finished segments of one log, in order and in the background. */
import type { FreeSpace } from '../disk/free-space.js';
import type { OwnFile } from '../disk/open-files.js';
import type { DiskFull } from '../faults/storage-errors.js';
import type { Segment } from '../segment/segment.js';
import { type GrowingStore, sealSegment } from '../segment/segment-lifecycle.js';

/** The store in which segments are sealed. */
export interface SealingStore extends GrowingStore {
  readonly freeSpace: FreeSpace;
}

/** A segment that is, or was, being written. */
export interface WrittenSegment {
  readonly segment: Segment;
  readonly file: OwnFile;
}

/**
 * One per log. A full disk delays sealing and loses nothing: recovery finds such a segment
 * complete. Any other error ends the store.
 */
export class SegmentSealer {
  /** Not sealed yet, in order. */
  private readonly left: WrittenSegment[] = [];
  private sealing: Promise<DiskFull | null> = Promise.resolve(null);

  constructor(
    private readonly store: SealingStore,
    private readonly log: { readonly id: number; readonly logTag: number },
    /** Called for each segment that is sealed. */
    private readonly sealedOne: () => void,
  ) {}

  /** Adds a segment that recovery found complete; it is sealed at the next call of `sealed`. */
  add(written: WrittenSegment): void {
    this.left.push(written);
  }

  /** Seals a segment that has just been finished, and all before it. */
  seal(written: WrittenSegment): void {
    this.add(written);
    void this.sealed();
  }

  /**
   * Settles when every segment that is finished by now is sealed, or with the reason why sealing
   * has to wait: until the next call, or until another segment is finished.
   */
  sealed(): Promise<DiskFull | null> {
    const last = this.left.at(-1);
    this.sealing = this.sealing.then(() => this.sealUntil(last));
    return this.sealing;
  }

  /** Settles when nothing is running; closes the files of segments that could not be sealed. */
  async close(): Promise<void> {
    await this.sealed();
    for (const { file } of this.left) await file.close(this.store.disk);
  }

  /** Seals no further than `last`: a log written at full speed always has one more. */
  private async sealUntil(last: WrittenSegment | undefined): Promise<DiskFull | null> {
    const { store, log, left } = this;
    for (;;) {
      const [next] = left;
      const isSealed = next === undefined || last === undefined || !left.includes(last);
      if (isSealed || store.fence.error !== null) return null;
      const { segment, file } = next;
      const doing = `sealing segment ${segment.number} of log ${log.id}`;
      try {
        await sealSegment(store, log, segment, file, left.length === 1);
        left.shift();
        this.sealedOne();
      } catch (error) {
        await file.close(store.disk).catch(() => undefined);
        if (store.fence.lacksRoom(error)) return store.freeSpace.outOfRoom(doing, error);
        store.fence.fail(doing, error);
      }
    }
  }
}
