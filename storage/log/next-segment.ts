/** The next segment of a log: created ahead of time, begun with the first group it takes. */
import type { FreeSpace } from '../disk/free-space.js';
import {
  encodeSegmentHeader,
  type SegmentLink,
  type SegmentOrigin,
} from '../format/segment-format.js';
import { FillPace } from '../segment/fill-pace.js';
import type { Segment } from '../segment/segment.js';
import { allocateSegment, type GrowingStore } from '../segment/segment-lifecycle.js';
import type { SegmentNumbers } from '../segment/segment-numbers.js';
import type { AppendGroup } from './append-group.js';

/** The store in which segments are created. */
export interface PreparingStore extends GrowingStore {
  readonly freeSpace: FreeSpace;
  /** Unix ms. */
  now(): number;
}

/** The log that will use the segments. */
interface PreparedLog {
  readonly id: number;
  /** Creates the next segment, with room for all of it, while the current one grows. */
  readonly preparesNextSegment: boolean;
  readonly numbers: SegmentNumbers;
}

/**
 * One per log; holds at most one segment. A segment that was created but not begun is found again
 * at the next start.
 */
export class NextSegment {
  private made: Promise<Segment> | null = null;
  /** How fast `made` is filled; null if nothing is filled. */
  private pace: FillPace | null = null;

  constructor(
    private readonly store: PreparingStore,
    private readonly log: PreparedLog,
  ) {}

  /** Takes over a segment that was created before the last stop. */
  resume(segment: Segment): void {
    this.made = Promise.resolve(segment);
  }

  /** Creates the segment, if there is room, so that the next roll does not have to wait for it. */
  async prepare(): Promise<void> {
    await this.soon().catch((error: unknown) => this.unlessFull(error));
  }

  /**
   * Creates the segment in the background while the current one, which has `end` bytes now, grows.
   * The next roll meets its error, unless there is room.
   */
  prepareWhileGrowing(end: number): void {
    void this.make();
    this.pace?.grown(end);
  }

  /**
   * Returns the segment for the log to use, as far as it is filled. If a log with prepared segments
   * has no room, it gets one without the zeros (most of its bytes), because it cannot wait.
   */
  async take(): Promise<Segment> {
    this.pace?.stop();
    const segment = await this.soon().catch((error: unknown) => {
      if (!this.log.preparesNextSegment) throw error;
      this.unlessFull(error);
      return this.allocate(null);
    });
    this.made = null;
    this.pace = null;
    return segment;
  }

  /** Settles when no segment is being created. */
  async idle(): Promise<void> {
    this.pace?.hurry();
    await this.made?.catch((error: unknown) => this.unlessFull(error));
  }

  private soon(): Promise<Segment> {
    const made = this.make();
    this.pace?.hurry();
    return made;
  }

  private make(): Promise<Segment> {
    if (this.made !== null) return this.made;
    const { store, log } = this;
    const { segmentBytes } = store;
    this.pace = log.preparesNextSegment ? new FillPace(segmentBytes, () => store.now()) : null;
    const made = this.allocate(this.pace);
    this.made = made;
    made.catch((error: unknown) => {
      if (!this.store.fence.lacksRoom(error)) return;
      this.store.freeSpace.outOfRoom(`making a segment of log ${this.log.id}`, error);
      this.made = null;
      this.pace = null;
    });
    return made;
  }

  private allocate(pace: FillPace | null): Promise<Segment> {
    const { store, log } = this;
    return allocateSegment(store, log.id, log.numbers.take(), pace);
  }

  private unlessFull(error: unknown): void {
    if (!this.store.fence.lacksRoom(error)) throw error;
  }
}

/** Begins an empty segment with its first group, which has room for the segment header. */
export function beginSegment(
  store: SegmentOrigin,
  segment: Segment,
  before: SegmentLink | undefined,
  { headerRoom, baseOffset }: AppendGroup,
): void {
  const chainSeed = before?.lastChecksum ?? 0;
  segment.begin(baseOffset, chainSeed);
  encodeSegmentHeader(headerRoom, {
    storeId: store.storeId,
    logId: segment.logId,
    number: segment.number,
    baseOffset,
    chainSeed,
    previousEnd: before?.end ?? 0,
    createdAt: store.now(),
    epoch: store.epoch,
  });
}
