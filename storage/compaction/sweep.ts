/** A sweep removes the records that the user does not keep from the sealed part of a log. */
import type { LogRecord } from '../format/record.js';
import type { Offset, OffsetRange } from '../offsets/offset.js';
import { SegmentChanged } from '../segment/segment-reader.js';
import { segmentsBelow } from '../segment/segment-removal.js';
import {
  GroupRewrite,
  isDamaged,
  type RewritingStore,
  type RewrittenLog,
} from './group-rewrite.js';
import { type Healing, heal } from './heal.js';
import { type ArchiveOptions, archiveSegments } from './segment-archive.js';
import { SelectiveRewrite } from './selective-rewrite.js';

/** Which records to remove, and when. */
export interface SweepOptions {
  /** Only whole sealed segments below this are examined. */
  readonly until: Offset;
  /** Called once for each record, in log order. */
  keeps(record: LogRecord): boolean;
  /** Where every examined segment is copied before any of them is rewritten. */
  readonly archive?: ArchiveOptions;
  /** If given, only rewrites damaged segments with what can be read of them. */
  readonly healing?: Healing;
  /** Awaited before each replacement is listed: makes durable what `keeps` was based on. */
  settled(): Promise<void>;
}

/** The result of a sweep. */
export interface SweepReport {
  /** Below this, no record is left that was not kept; 0 if no segment was examined. */
  readonly until: Offset;
  readonly keptRecords: number;
  readonly removedRecords: number;
  /** By how many bytes the log is shorter, headers and batches included. */
  readonly removedBytes: number;
  /** Bytes of archive copies made before. */
  readonly archivedBytes: number;
  /** Offsets that were damaged and are a gap now; absent if nothing was to be healed. */
  readonly healed?: readonly OffsetRange[];
}

/**
 * One call of `PartitionLog.sweep`. The oldest segments go first: wherever the work ends, if a
 * record that is not kept is gone, all earlier ones that are not kept are gone, too. So it ends at
 * the first damaged segment, from which nothing can be removed. `throwIfStopped` throws when the
 * work must end.
 */
export async function sweep(
  store: RewritingStore,
  log: RewrittenLog,
  options: SweepOptions,
  throwIfStopped: () => void,
): Promise<SweepReport> {
  const groups = new GroupRewrite(store, log, throwIfStopped);
  if (options.healing !== undefined) {
    const healed = await heal(store, log, groups, options.healing);
    const nothing = { keptRecords: 0, removedRecords: 0, removedBytes: 0, archivedBytes: 0 };
    return { until: 0, ...nothing, healed };
  }
  const rewrite = new SelectiveRewrite(groups, store.segmentBytes, () => options.settled());
  const sealed = segmentsBelow(log.segments, options.until);
  const damaged = sealed.findIndex(isDamaged);
  const intact = damaged < 0 ? sealed : sealed.slice(0, damaged);
  const { archive } = options;
  const archivedBytes =
    archive === undefined
      ? 0
      : await archiveSegments(store, log.id, intact, archive, throwIfStopped);
  try {
    await rewrite.run(intact, (record) => options.keeps(record));
  } catch (error) {
    // Damage was found: `keeps` has decided about that group, and must not be called again for it.
    if (!(error instanceof SegmentChanged)) throw error;
  }
  const { until, keptRecords, removedRecords, removedBytes } = rewrite;
  return { until, keptRecords, removedRecords, removedBytes, archivedBytes };
}
