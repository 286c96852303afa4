/** Seals the segments that one log has left behind, in order and in the background. */
import type { OwnFile } from '../disk/open-files.js';
import type { DiskFull } from '../faults/storage-errors.js';
import type { Segment } from '../segment/segment.js';
import { sealSegment } from '../segment/segment-lifecycle.js';
import type { StoreContext } from '../store-context.js';

/** A segment that is, or was, written to. */
export interface WrittenSegment {
  readonly segment: Segment;
  readonly file: OwnFile;
}

export class SegmentSealer {
  /** Not sealed yet, in order. */
  private readonly left: WrittenSegment[] = [];
  private sealing: Promise<DiskFull | null> = Promise.resolve(null);

  constructor(
    private readonly context: StoreContext,
    private readonly log: { readonly id: number; readonly logTag: number },
  ) {}

  /** Seals a segment that recovery found complete, or that was just left behind. */
  seal(written: WrittenSegment): void {
    this.left.push(written);
    void this.sealed();
  }

  /**
   * Settles when every segment that was left behind is sealed; or with why that has to wait, until
   * somebody asks again or another one is left.
   */
  sealed(): Promise<DiskFull | null> {
    this.sealing = this.sealing.then(() => this.sealLeft());
    return this.sealing;
  }

  /** Settles when nothing is under way; lets go of the files of what could not be sealed. */
  async close(): Promise<void> {
    await this.sealed();
    for (const { file } of this.left) await file.close(this.context.disk);
  }

  private async sealLeft(): Promise<DiskFull | null> {
    const { context, log } = this;
    for (let [next] = this.left; next !== undefined; [next] = this.left) {
      if (context.fence.error !== null) return null;
      const { segment, file } = next;
      const doing = `sealing segment ${segment.number} of log ${log.id}`;
      try {
        await sealSegment(context, log, segment, file);
        this.left.shift();
      } catch (error) {
        await file.close(context.disk).catch(() => undefined);
        if (context.lacksRoom(error)) return context.outOfRoom(doing, error);
        context.fail(doing, error);
      }
    }
    return null;
  }
}
