/** Replaces neighbouring segments by one segment with all or some of their records. */
import type { LogChain } from '../chain/log-chain.js';
import type { ScannedBatch } from '../format/batch-scan.js';
import { Segment } from '../segment/segment.js';
import { removeUnlisted } from '../segment/segment-lifecycle.js';
import type { SegmentNumbers } from '../segment/segment-numbers.js';
import type { SegmentReader } from '../segment/segment-reader.js';
import { removeSegmentFiles, type ShrinkingStore } from '../segment/segment-removal.js';
import type { Fingerprint, Remains } from './remains.js';
import { type Replacement, type ReplacingStore, writeReplacement } from './segment-replacement.js';

/** The store of a log that is compacted, swept or merged. */
export interface RewritingStore extends ReplacingStore, ShrinkingStore {}

/** The log that a group belongs to. */
export interface RewrittenLog {
  readonly id: number;
  readonly logTag: number;
  readonly segments: Segment[];
  readonly reader: SegmentReader;
  readonly numbers: SegmentNumbers;
  /** Proves the log's former content; null if the log has no chain. */
  readonly chain: LogChain | null;
}

/** The event loop gets its turn between chunks of this size. */
const chunkBytes = 64 * 1024;
/** Offsets within a segment are UINT32. */
const offsetsMax = 2 ** 32 - 1;

/** Whether one segment can hold all of a group. */
export function fitsInOne(group: readonly Segment[], segmentBytes: number): boolean {
  const bytes = group.reduce((sum, { end }) => sum + end, 0);
  return bytes <= segmentBytes && spansOne(group[0], group.at(-1));
}

/** Whether the offsets from one segment to another are few enough for one segment. */
export function spansOne(first: Segment | undefined, last: Segment | undefined): boolean {
  return (last?.nextOffset ?? 0) - (first?.baseOffset ?? 0) <= offsetsMax;
}

/** A segment that cannot be read completely is neither rewritten nor lost. */
export function isDamaged({ damages }: Segment): boolean {
  return damages.length > 0;
}

/**
 * Writes the new segment aside, syncs it, and puts it in place by one edit of the manifest. Used by
 * compactions, sweeps, merges and healing, one at a time per log (see `LogUpkeep`).
 */
export class GroupRewrite {
  /** `throwIfStopped` throws when the work must end. */
  constructor(
    private readonly store: RewritingStore,
    private readonly log: RewrittenLog,
    private readonly throwIfStopped: () => void,
  ) {}

  /** Passes every batch of some segments to `take`, in order. */
  async read(
    segments: readonly Segment[],
    take: (batch: ScannedBatch) => Promise<void> | void,
  ): Promise<void> {
    for (const segment of segments) {
      await this.log.reader.whole(segment, chunkBytes, async (batches) => {
        this.throwIfStopped();
        for (const batch of batches) await take(batch);
        return true;
      });
    }
  }

  /**
   * Replaces a group of neighbours by a segment of the batches that `read` passes on; returns by
   * how many bytes the log is shorter. A crash leaves either the group or its replacement.
   */
  async replace(
    group: readonly Segment[],
    fingerprint: Fingerprint,
    read: (take: (remains: Remains) => Promise<void>) => Promise<void>,
  ): Promise<number> {
    const { store, log } = this;
    const { id, logTag, segments } = log;
    const [first] = group;
    const last = group.at(-1);
    if (first === undefined || last === undefined) return 0;
    const number = log.numbers.take();
    // From here on, a start that finds the file but no listing knows that it may be removed.
    await store.manifest.edit({ type: 'numbersReserved', id, nextNumber: number + 1 });
    const at = segments.indexOf(first);
    const replacement: Replacement = {
      log: { id, logTag },
      number,
      baseOffset: first.baseOffset,
      before: segments[at - 1]?.link ?? null,
      fingerprint,
      read,
      prunedFile: async (path, end) => log.chain?.prunedFile(group, path, end) ?? null,
    };
    const { segment, digest } = await writeReplacement(store, replacement);
    this.throwIfStopped();
    const by = { number, end: segment.toEnd(), digest, link: last.link };
    const replaced = group.map((old) => old.number);
    try {
      await store.manifest.edit({ type: 'segmentsReplaced', id, replaced, by });
    } catch (error) {
      const { directory } = store;
      const unlisted = [
        directory.segment(id, number),
        directory.index(id, number),
        directory.pruned(id, number),
      ];
      if (store.fence.lacksRoom(error)) await removeUnlisted(store, unlisted);
      throw error;
    }
    const fresh = Segment.listed(id, by, by.end);
    fresh.isSealed = true;
    segments.splice(at, group.length, fresh);
    await removeSegmentFiles(store, id, group);
    return group.reduce((sum, { end }) => sum + end, -segment.end);
  }
}
