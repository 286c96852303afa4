/** The segment that a log goes on in: made ahead, begun with the first group that it takes. */
import type { FreeSpace } from '../disk/free-space.js';
import {
  encodeSegmentHeader,
  type SegmentLink,
  type SegmentOrigin,
} from '../format/segment-format.js';
import type { Segment } from '../segment/segment.js';
import { allocateSegment, type GrowingStore } from '../segment/segment-lifecycle.js';
import type { SegmentNumbers } from '../segment/segment-numbers.js';
import type { AppendGroup } from './append-group.js';

/** The store that segments are made in. */
export interface PreparingStore extends GrowingStore {
  readonly freeSpace: FreeSpace;
}

/** The log that goes on in them. */
interface PreparedLog {
  readonly id: number;
  /** Makes the next segment while one grows, with room for all of it. */
  readonly preparesNextSegment: boolean;
  readonly numbers: SegmentNumbers;
}

/**
 * Of one log; holds one segment at most. What is made and not begun is found again at the next
 * start.
 */
export class NextSegment {
  private made: Promise<Segment> | null = null;

  constructor(
    private readonly store: PreparingStore,
    private readonly log: PreparedLog,
  ) {}

  /** It was made before the last stop. */
  resume(segment: Segment): void {
    this.made = Promise.resolve(segment);
  }

  /** Makes it, if there is room: then the next roll does not have to wait for it. */
  async prepare(): Promise<void> {
    await this.make().catch((error: unknown) => this.unlessFull(error));
  }

  /** Makes it in the background. The next roll meets the error, unless there is room by then. */
  prepareSoon(): void {
    void this.make();
  }

  /** The log goes on in it: without the zeros, most of its bytes, where it cannot wait for room. */
  async take(): Promise<Segment> {
    const segment = await this.make().catch((error: unknown) => {
      if (!this.log.preparesNextSegment) throw error;
      this.unlessFull(error);
      return this.allocate(false);
    });
    this.made = null;
    return segment;
  }

  /** Settles when none is being made. */
  async idle(): Promise<void> {
    await this.made?.catch((error: unknown) => this.unlessFull(error));
  }

  private make(): Promise<Segment> {
    if (this.made !== null) return this.made;
    const made = this.allocate(this.log.preparesNextSegment);
    this.made = made;
    made.catch((error: unknown) => {
      if (!this.store.fence.lacksRoom(error)) return;
      this.store.freeSpace.outOfRoom(`making a segment of log ${this.log.id}`, error);
      this.made = null;
    });
    return made;
  }

  private allocate(prepared: boolean): Promise<Segment> {
    const { store, log } = this;
    return allocateSegment(store, log.id, log.numbers.take(), prepared);
  }

  private unlessFull(error: unknown): void {
    if (!this.store.fence.lacksRoom(error)) throw error;
  }
}

/** Begins an empty segment with the group that it takes first, which has room for the header. */
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
