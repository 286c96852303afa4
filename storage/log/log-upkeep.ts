/** Trims, compacts, sweeps and merges the sealed segments of one log: one task at a time. */
import type { LogChain } from '../chain/log-chain.js';
import {
  type CompactingStore,
  Compaction,
  type CompactionOptions,
  type CompactionReport,
  compactedUntil,
} from '../compaction/compaction.js';
import { groupMin, mergeOnce } from '../compaction/segment-merge.js';
import { type SweepOptions, type SweepReport, sweep } from '../compaction/sweep.js';
import { diskError, errorCode } from '../faults/storage-errors.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentNumbers } from '../segment/segment-numbers.js';
import type { SegmentReader } from '../segment/segment-reader.js';
import { removeLogFiles, removeSegments, segmentsBelow } from '../segment/segment-removal.js';
import { type CommitStream, streamOf } from './commit-stream.js';

/** The store of a log that has upkeep. */
export interface KeepingStore extends CompactingStore {
  readonly commits: CommitStream | null;
}

/** The log whose segments are maintained. */
export interface KeptLog {
  readonly id: number;
  readonly name: string;
  readonly logTag: number;
  readonly startOffset: Offset;
  /** In order. Shared with the reader, the writer and the log; sealed segments change only here. */
  readonly segments: Segment[];
}

/** The parts of the log that this needs. */
export interface LogParts {
  readonly reader: SegmentReader;
  readonly numbers: SegmentNumbers;
  /** Settles when every finished segment is sealed, or cannot be for want of room. */
  sealed(): Promise<unknown>;
  /** Proves the log's former content; null if the log has no chain. */
  readonly chain: LogChain | null;
}

/**
 * One per open log. Appends do not wait for it, and it does not touch the growing segment. Stopped
 * work rejects with the reason given to `stop`, and leaves the log as it was.
 */
export class LogUpkeep {
  /** The first offset that is still here. Only this class raises it. */
  startOffset: Offset;
  private last: Promise<unknown> = Promise.resolve();
  private stoppedBecause: Error | null = null;
  /** The result of the last compaction, which covered everything before `end`. */
  private compacted: { readonly end: Offset; readonly report: CompactionReport } | null = null;

  constructor(
    private readonly store: KeepingStore,
    private readonly log: KeptLog,
    private readonly parts: LogParts,
  ) {
    this.startOffset = log.startOffset;
  }

  /** See `PartitionLog.hideBelow`. */
  hideBelow(offset: Offset): void {
    this.startOffset = Math.max(this.startOffset, offset);
  }

  /** See `PartitionLog.trimTo`. */
  trimTo(offset: Offset): Promise<Offset> {
    return this.inTurn(async () => {
      const { store, log } = this;
      const commits = streamOf(store.commits, log.name);
      if (commits?.refusal === null) await commits.trim(log.name, offset);
      const gone = segmentsBelow(log.segments, offset);
      this.hideBelow(gone.at(-1)?.nextOffset ?? 0);
      await removeSegments(store, log.id, log.segments, gone);
      return this.startOffset;
    });
  }

  /** See `PartitionLog.compact`. */
  compact(options: CompactionOptions): Promise<CompactionReport> {
    return this.rewriting(async () => {
      const { store, log, parts } = this;
      const compaction = new Compaction(store, { ...log, ...parts }, options, this.throwIfStopped);
      const { end } = compaction;
      const { compacted } = this;
      if (compacted?.end === end && !isDue(compacted.report, options)) {
        return { ...compacted.report, removedRecords: 0, removedBytes: 0 };
      }
      const report = await compaction.run();
      this.compacted = { end, report };
      return report;
    }).catch((error: unknown) => {
      throw diskError(`compacting log ${this.log.name}`, error);
    });
  }

  /** See `PartitionLog.sweep`. */
  sweep(options: SweepOptions): Promise<SweepReport> {
    const { store, log, parts } = this;
    return this.rewriting(() =>
      sweep(store, { ...log, ...parts }, options, this.throwIfStopped),
    ).catch((error: unknown) => {
      // Errors thrown by the caller's own functions are not disk errors.
      throw errorCode(error) === '' ? error : diskError(`sweeping log ${log.name}`, error);
    });
  }

  /**
   * After a start: seals segments that recovery found complete, and merges small neighbours among
   * the sealed segments, group by group. Anything that prevents this (damage, a full disk, the end
   * of the store) leaves the log as it was.
   */
  async keepUp(): Promise<void> {
    const { store, log, parts } = this;
    try {
      await parts.sealed();
      parts.chain?.extendLater();
      if (log.segments.length < groupMin) return;
      // One group at a time, so that a trim or a compaction gets its turn in between.
      while (
        await this.rewriting(() => mergeOnce(store, { ...log, ...parts }, this.throwIfStopped))
      );
    } catch {
      // A failure that the store cannot survive has fenced it already.
    }
  }

  /** See `PartitionLog.compactedUntil`. */
  get compactedUntil(): Offset {
    const recorded = compactedUntil(this.store.manifest.state, this.log.id);
    return Math.max(recorded, this.compacted?.report.until ?? 0);
  }

  /** Removes the files of a dropped log; false if some stay, because the disk is full. */
  async removeAllFiles(): Promise<boolean> {
    const { store, log, parts } = this;
    const { directory, openFiles } = store;
    parts.reader.release();
    for (const { number } of log.segments) {
      await openFiles.forget(directory.segment(log.id, number));
    }
    try {
      await removeLogFiles(store, log.id);
      return true;
    } catch (error) {
      if (!store.fence.lacksRoom(error)) throw error;
      return false;
    }
  }

  /** Starts nothing more; running work ends as soon as it can. */
  stop(reason: Error): void {
    this.stoppedBecause ??= reason;
  }

  /** Settles when no work is running. */
  async idle(): Promise<void> {
    await this.last;
    await this.parts.chain?.stop();
  }

  /** Throws if no work may begin or continue any more. */
  private readonly throwIfStopped = (): void => {
    if (this.stoppedBecause !== null) throw this.stoppedBecause;
  };

  /** Runs `work` after every sealed segment has its entry in the chain. */
  private rewriting<T>(work: () => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      await this.parts.chain?.extend();
      this.throwIfStopped();
      return work();
    });
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.throwIfStopped();
    const done = this.last.then(async () => {
      await this.parts.sealed();
      this.throwIfStopped();
      return work();
    });
    this.last = done.catch(() => undefined);
    return done;
  }
}

/** Whether a tombstone that was kept can be removed now. */
function isDue({ oldestTombstone }: CompactionReport, { tombstonesBefore }: CompactionOptions) {
  return oldestTombstone !== null && oldestTombstone < tombstonesBefore;
}
