/** Compares the records of a log with its chain, and computes the heads to which they lead. */
import {
  type ChainEntry,
  decodeChain,
  firstLink,
  nextEntry,
  type SealedPart,
} from '../chain/chain-file.js';
import { isProven, type LeftRecords, recordsOf } from '../chain/chain-work.js';
import type { ChainHead } from '../chain/log-chain.js';
import { mergedParts, rootOf } from '../chain/record-trie.js';
import { readWhole } from '../disk/whole-file.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import type { RecoveredLog } from '../recovery/recovered-log.js';
import type { Segment } from '../segment/segment.js';
import type { VerifiedStore } from './verify-segment.js';

/** The result for the sealed part of a log. */
export interface VerifiedChain {
  /** One head for each segment that was ever sealed, computed from the records that are there. */
  readonly heads: readonly ChainHead[];
  /** How many records were sealed and have been removed since. */
  readonly removedRecords: number;
  /** The offset after the last part that has lost records; 0 if none has. */
  readonly removedUntil: number;
}

/** What a chain is compared with. */
interface ChainedSegments {
  readonly recovered: RecoveredLog;
  /** The sealed segments, in order. */
  readonly sealed: readonly Segment[];
}

/**
 * Null if the log has no chain. Mismatches are passed to `damaged`; the heads are nevertheless
 * those of the records that are there. The segments must be intact.
 */
export async function verifyChain(
  store: VerifiedStore,
  { recovered, sealed }: ChainedSegments,
  damaged: (damage: DamagedData) => void,
): Promise<VerifiedChain | null> {
  const { disk, directory, storeId } = store;
  const { log, logTag } = recovered;
  const file = directory.chain(log.id);
  const bytes = await readWhole(disk, file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null) return null;
  const first = firstLink(storeId, log.id);
  const { entries, fault } = decodeChain(bytes, first);
  const range = { file, from: 0, to: bytes.length };
  if (fault !== null) damaged(new DamagedData({ ...range, lastGoodOffset: null }, fault));
  const heads: ChainHead[] = [];
  let [link, removedRecords, removedUntil] = [first, 0, 0];
  const parts = sealed.map(({ number, end }) => {
    const prunedPath = directory.pruned(log.id, number);
    return { path: directory.segment(log.id, number), end, prunedPath };
  });
  for await (const found of recordsOf(disk, logTag, parts, within(entries, sealed))) {
    const { part: entry, leaves } = found;
    const { baseOffset, nextOffset } = entry;
    if (!isProven(entry, found)) {
      const reason = `the records of [${baseOffset}, ${nextOffset}) are not those that were sealed`;
      damaged(new DamagedData({ ...range, lastGoodOffset: baseOffset - 1 }, reason));
    }
    link = nextEntry(link, asFound(entry, found)).link;
    heads.push({ offset: nextOffset, digest: link.toString('hex') });
    const removed = entry.recordCount - leaves.count;
    removedRecords += removed;
    if (removed > 0) removedUntil = nextOffset;
  }
  return { heads, removedRecords, removedUntil };
}

/** Leaves out entries of segments that a running server sealed after its manifest was read. */
function within(entries: readonly ChainEntry[], sealed: readonly Segment[]): ChainEntry[] {
  const end = sealed.at(-1)?.nextOffset ?? 0;
  return entries.filter(({ nextOffset }) => nextOffset <= end);
}

/** The part according to its records; if all of them were removed, only its root is left. */
function asFound(entry: ChainEntry, { leaves, pruned }: LeftRecords): SealedPart {
  const { baseOffset, nextOffset } = entry;
  if (leaves.count + pruned.count === 0 && entry.recordCount > 0) return entry;
  return { ...entry, root: rootOf(mergedParts(leaves, pruned), baseOffset, nextOffset) };
}
