/** A sweep: the sealed part of a log without the records that its user does not keep. */
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

/** Which records may go, and when. */
export interface SweepOptions {
  /** Only whole sealed segments below this are looked at. */
  readonly until: Offset;
  /** Called once for each record, in the order of the log. */
  keeps(record: LogRecord): boolean;
  /** Where every segment is copied to that is looked at, before any of them is rewritten. */
  readonly archive?: ArchiveOptions;
  /** Damaged segments are rewritten with what can be read of them, and nothing else is done. */
  readonly healing?: Healing;
  /** Awaited before each replacement is listed: what `keeps` went by is durable then. */
  settled(): Promise<void>;
}

/** What a sweep came to. */
export interface SweepReport {
  /** Below this there is no record that was not kept; 0 where no segment was looked at. */
  readonly until: Offset;
  readonly keptRecords: number;
  readonly removedRecords: number;
  /** Bytes that the log is shorter; header and batches. */
  readonly removedBytes: number;
  /** Bytes of copies that were made of segments before. */
  readonly archivedBytes: number;
  /** Offsets that were damaged, and are a gap now; absent where nothing was to be healed. */
  readonly healed?: readonly OffsetRange[];
}

/**
 * One call of `PartitionLog.sweep`. The oldest segments go first: wherever it ends, where a record
 * that is not kept has gone, all before it that are not kept have gone too. So it ends in front of
 * the first damaged segment, of which nothing can be taken out. `goOn` throws when the work is to
 * end.
 */
export async function sweep(
  store: RewritingStore,
  log: RewrittenLog,
  options: SweepOptions,
  goOn: () => void,
): Promise<SweepReport> {
  const groups = new GroupRewrite(store, log, goOn);
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
    archive === undefined ? 0 : await archiveSegments(store, log.id, intact, archive, goOn);
  try {
    await rewrite.run(intact, (record) => options.keeps(record));
  } catch (error) {
    // Damage was found: the records of that group were decided on, and may not be asked for again.
    if (!(error instanceof SegmentChanged)) throw error;
  }
  const { until, keptRecords, removedRecords, removedBytes } = rewrite;
  return { until, keptRecords, removedRecords, removedBytes, archivedBytes };
}
