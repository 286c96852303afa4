/** What is done to the sealed part of one log, one thing at a time. */
import type { Offset } from './offset.js';
import { removeSegments, segmentsBelow } from './retention.js';
import type { Segment } from './segment.js';
import type { StoreContext } from './store-context.js';

/** The log that is kept up. */
export interface KeptLog {
  readonly id: number;
  readonly startOffset: Offset;
  /** In order. The reader, the writer and the log share it; sealed ones change only here. */
  readonly segments: Segment[];
}

export class LogUpkeep {
  private start: Offset;
  private last: Promise<unknown> = Promise.resolve();
  private stoppedBecause: Error | null = null;

  /** `sealed` settles when every segment that was left behind is sealed. */
  constructor(
    private readonly context: StoreContext,
    private readonly log: KeptLog,
    private readonly sealed: () => Promise<void>,
  ) {
    this.start = log.startOffset;
  }

  /** The first offset that is still here. */
  get startOffset(): Offset {
    return this.start;
  }

  /** See `PartitionLog.hideBelow`. */
  hideBelow(offset: Offset): void {
    this.start = Math.max(this.start, offset);
  }

  /** See `PartitionLog.trimTo`. */
  trimTo(offset: Offset): Promise<Offset> {
    return this.inTurn(async () => {
      const { context, log } = this;
      const gone = segmentsBelow(log.segments, offset);
      this.hideBelow(gone.at(-1)?.nextOffset ?? 0);
      await removeSegments(context, log.id, log.segments, gone);
      return this.start;
    });
  }

  /** Begins nothing any more; what is under way ends as soon as it can. */
  stop(reason: Error): void {
    this.stoppedBecause ??= reason;
  }

  /** Settles when nothing is under way. */
  async idle(): Promise<void> {
    await this.last;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(async () => {
      await this.sealed();
      if (this.stoppedBecause !== null) throw this.stoppedBecause;
      return work();
    });
    this.last = done.catch(() => undefined);
    return done;
  }
}
