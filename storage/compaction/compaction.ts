/** Compaction: in the sealed part of a log, only the last record of each key stays. */
import { decodeRecords, type LogRecord } from '../format/record.js';
import type { ManifestState } from '../manifest/manifest.js';
import type { Offset } from '../offsets/offset.js';
import type { Segment } from '../segment/segment.js';
import { SegmentChanged } from '../segment/segment-reader.js';
import { segmentsBelow } from '../segment/segment-removal.js';
import {
  GroupRewrite,
  isDamaged,
  type RewritingStore,
  type RewrittenLog,
} from './group-rewrite.js';
import { KeyOffsets } from './key-offsets.js';
import { SelectiveRewrite } from './selective-rewrite.js';

/** The store of a log that is compacted. */
export interface CompactingStore extends RewritingStore {
  /** How many keys one pass holds in memory, at about 32 bytes each. */
  readonly compactionKeysMax: number;
}

/** Which records to remove. */
export interface CompactionOptions {
  /** Only whole sealed segments below this are examined; absent: all sealed segments. */
  readonly until?: Offset;
  /** Removes tombstones that were appended before this (Unix ms, the store's clock). */
  readonly tombstonesBefore: number;
}

/** The result of a compaction. */
export interface CompactionReport {
  /** Each key occurs at most once below this, apart from damaged segments. */
  readonly until: Offset;
  readonly removedRecords: number;
  /** By how many bytes the log is shorter, headers and batches included. */
  readonly removedBytes: number;
  /** When the oldest tombstone that was kept was appended, Unix ms; null if there is none. */
  readonly oldestTombstone: number | null;
}

/** The last offset of each key among the records below `until` that are not compacted yet. */
interface LatestOffsets {
  readonly keys: KeyOffsets;
  readonly until: Offset;
  /** Where the first damaged segment begins. */
  readonly damaged: Offset;
}

/**
 * Below this, each key occurs at most once. No offset behind damage is, as damage may be read again
 * later or be healed: what supersedes its records is then looked for once more.
 */
export function compactedUntil(manifest: ManifestState, logId: number): Offset {
  return manifest.logs.find(({ id }) => id === logId)?.compactedUntil ?? 0;
}

/**
 * One call of `PartitionLog.compact`. Groups of neighbours are replaced by one segment each, the
 * oldest first: wherever a crash ends the work, no tombstone is gone before the records it hides.
 */
export class Compaction {
  private oldestTombstone = Number.POSITIVE_INFINITY;
  /** Below this, each key occurs at most once, apart from damaged segments. */
  private until: Offset;
  private readonly groups: GroupRewrite;
  private readonly rewrite: SelectiveRewrite;

  /** `throwIfStopped` throws when the work must end. */
  constructor(
    private readonly store: CompactingStore,
    private readonly log: RewrittenLog,
    private readonly options: CompactionOptions,
    throwIfStopped: () => void,
  ) {
    this.until = compactedUntil(store.manifest.state, log.id);
    this.groups = new GroupRewrite(store, log, throwIfStopped);
    this.rewrite = new SelectiveRewrite(this.groups, store.segmentBytes, async () => undefined);
  }

  /** The end of the last segment to compact; 0 if there is none. */
  get end(): Offset {
    return this.sealed().at(-1)?.nextOffset ?? 0;
  }

  /** Passes over the sealed segments, with as many keys as fit, until each key occurs once. */
  async run(): Promise<CompactionReport> {
    const { end } = this;
    for (let isDone = false; !isDone; ) {
      try {
        await this.pass();
        isDone = this.until >= end;
      } catch (error) {
        // Damage was found; the next passes leave that segment alone.
        if (!(error instanceof SegmentChanged)) throw error;
      }
    }
    const { until, oldestTombstone } = this;
    const { removedRecords, removedBytes } = this.rewrite;
    return {
      until,
      removedRecords,
      removedBytes,
      oldestTombstone: oldestTombstone === Number.POSITIVE_INFINITY ? null : oldestTombstone,
    };
  }

  /** Makes one pass, which raises `until`. */
  private async pass(): Promise<void> {
    const { store, log } = this;
    const latest = await this.latestOffsets(this.until);
    this.oldestTombstone = Number.POSITIVE_INFINITY;
    await this.rewrite.run(this.sealed(), (record, appendTime) =>
      this.isKept(record, appendTime, latest),
    );
    this.until = latest.until;
    const until = Math.min(latest.until, latest.damaged);
    if (until <= compactedUntil(store.manifest.state, log.id)) return;
    await store.manifest.edit({ type: 'compacted', id: log.id, until });
  }

  private sealed(): Segment[] {
    return segmentsBelow(this.log.segments, this.options.until ?? Number.POSITIVE_INFINITY);
  }

  /** Reads the records that no compaction has seen yet, as far as memory allows for their keys. */
  private async latestOffsets(from: Offset): Promise<LatestOffsets> {
    const keys = new KeyOffsets(this.store.compactionKeysMax);
    let leftOut: Offset | null = null;
    for (const segment of this.sealed()) {
      if (segment.nextOffset <= from || leftOut !== null || isDamaged(segment)) continue;
      await this.groups.read([segment], ({ header, body }) => {
        leftOut ??= firstLeftOut(keys, decodeRecords(body, header.baseOffset), from);
      });
    }
    const damaged = this.sealed().find(isDamaged)?.baseOffset ?? Number.POSITIVE_INFINITY;
    return { keys, until: leftOut ?? Math.max(from, this.end), damaged };
  }

  /**
   * Records without a key stay: nothing says what supersedes them. Records superseded only by a
   * record of the growing segment stay, too: it is not read before it is sealed.
   */
  private isKept(record: LogRecord, appendTime: number, latest: LatestOffsets): boolean {
    const { key, offset, value } = record;
    const { keys, until, damaged } = latest;
    if (key === null || offset >= until) return true;
    if ((keys.get(key) ?? offset) > offset) return false;
    // A damaged segment stays as it is, and with it records that a later tombstone hides.
    if (value !== null || offset > damaged) return true;
    if (appendTime < this.options.tombstonesBefore) return false;
    this.oldestTombstone = Math.min(this.oldestTombstone, Math.floor(appendTime));
    return true;
  }
}

/** Notes the offsets of keys from `from` on; returns the first that found no room. */
function firstLeftOut(
  keys: KeyOffsets,
  records: readonly LogRecord[],
  from: Offset,
): Offset | null {
  for (const { key, offset } of records) {
    if (key !== null && offset >= from && !keys.set(key, offset)) return offset;
  }
  return null;
}
