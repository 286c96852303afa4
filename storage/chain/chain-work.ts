/**
 * The expensive work for a chain: reading segments and hashing their records. Questions are plain
 * values, so that another thread can answer them.
 */
import type { Disk } from '../disk/disk.js';
import { readWhole } from '../disk/whole-file.js';
import { BatchScan, type ScannedBatch } from '../format/batch-scan.js';
import { recordEnd } from '../format/record.js';
import { segmentHeaderLength } from '../format/segment-format.js';
import type { Offset } from '../offsets/offset.js';
import { digestAt, type SegmentDigests } from '../segment/segment-digest.js';
import { decodeChain, type SealedPart } from './chain-file.js';
import { encodePruned, readPruned } from './pruned-file.js';
import { leafOf, mergedParts, noRest, prunedParts, rootOf, TrieParts } from './record-trie.js';

const chunkBytes = 1024 * 1024;
/** Length and offset of a record, which a rewrite may change. */
const recordPlaceLength = 8;

/** The files of a segment; its batches are at [64, end). */
export interface SegmentPart {
  readonly path: string;
  readonly end: number;
  /** The file with digests of removed records; null if there can be none. */
  readonly prunedPath: string | null;
}

/** Asks for the root of the records of [from, until) in a sealed segment. */
export interface RootQuestion {
  readonly logTag: number;
  readonly segment: SegmentPart;
  readonly from: Offset;
  readonly until: Offset;
}

/** Asks what `by` keeps of neighbours whose chain entries are those in [from, until). */
export interface PrunedQuestion {
  readonly logTag: number;
  readonly chainPath: string;
  /** The link before the chain. */
  readonly first: Uint8Array;
  readonly group: readonly SegmentPart[];
  readonly by: SegmentPart;
  readonly from: Offset;
  readonly until: Offset;
}

/** Reads and hashes segments. Rejects if a file does not read back. */
export interface ChainWork extends SegmentDigests {
  root(
    question: RootQuestion,
  ): Promise<{ readonly root: Uint8Array; readonly recordCount: number }>;
  /**
   * The content of the pruned file to put beside `by`; null if no record is removed. Rejects if
   * `by` is not what was sealed, minus the removed records.
   */
  pruned(question: PrunedQuestion): Promise<Uint8Array | null>;
}

/**
 * Reads and hashes in this thread. `rest` is called between two hashes, so that the thread can
 * leave its processor to others.
 */
export function chainWork(disk: Disk, rest: () => void = noRest): ChainWork {
  return {
    async root({ logTag, segment, from, until }) {
      const part = { baseOffset: from, nextOffset: until };
      for await (const { leaves } of recordsOf(disk, logTag, [segment], [part], rest)) {
        return { root: rootOf(leaves, from, until, rest), recordCount: leaves.count };
      }
      throw new Error('a segment without a part');
    },
    pruned: (question) => prunedBy(disk, question, rest),
    digest: (question) => digestAt(disk, question, rest),
  };
}

async function prunedBy(
  disk: Disk,
  question: PrunedQuestion,
  rest: () => void,
): Promise<Buffer | null> {
  const { logTag, chainPath, first, group, by, from, until } = question;
  const { entries } = decodeChain(await readWhole(disk, chainPath), Buffer.from(first));
  const replaced = entries.filter(
    ({ baseOffset, nextOffset }) => baseOffset >= from && nextOffset <= until,
  );
  const stays = recordsOf(disk, logTag, [by], replaced, rest);
  const all = new TrieParts();
  for await (const { part, leaves, pruned } of recordsOf(disk, logTag, group, replaced, rest)) {
    // Cast: both generators go through the same parts, so this one is not done.
    const { leaves: kept } = (await stays.next()).value as FoundRecords;
    const { baseOffset, nextOffset } = part;
    const parts = mergedParts(leaves, pruned);
    const isKept = (index: number) => {
      const place = kept.firstFrom(parts.at(index), 0, kept.count);
      const isRecord = parts.span(index) === 1 && kept.at(place) === parts.at(index);
      return isRecord && kept.digest(place) === parts.digest(index);
    };
    const gone = prunedParts(parts, isKept, baseOffset, nextOffset);
    const left = { leaves: kept, pruned: gone };
    if (!isProven(part, left)) throw new Error(`[${baseOffset}, ${nextOffset}) is not what it was`);
    for (let index = 0; index < gone.count; index += 1) {
      all.push(gone.at(index), gone.span(index), gone.digest(index));
    }
  }
  await stays.return(undefined);
  return all.count === 0 ? null : encodePruned(all);
}

/** What is left of a part of a log: its records, and digests of the removed ones. */
export interface LeftRecords {
  readonly leaves: TrieParts;
  readonly pruned: TrieParts;
}

/** What was found of one part. */
interface FoundRecords<Part extends Span = Span> extends LeftRecords {
  readonly part: Part;
}

/** Whether the records are those that were sealed: all of them, or all but the removed ones. */
export function isProven(part: SealedPart, { leaves, pruned }: LeftRecords): boolean {
  const { baseOffset, nextOffset, recordCount, root } = part;
  // All records were removed: the root itself stands for them.
  if (leaves.count === 0 && pruned.count === 0 && recordCount > 0) return true;
  if (leaves.count > recordCount) return false;
  return rootOf(mergedParts(leaves, pruned), baseOffset, nextOffset).equals(root);
}

/** A part of a log, half-open. */
interface Span {
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
}

/**
 * What is left of each of some parts, which are in order, read from segments that are in order,
 * too. Rejects if a segment does not read back. `rest` is called before each record is hashed.
 */
export async function* recordsOf<Part extends Span>(
  disk: Disk,
  logTag: number,
  segments: readonly SegmentPart[],
  parts: readonly Part[],
  rest: () => void = noRest,
): AsyncGenerator<FoundRecords<Part>> {
  let place = 0;
  let [leaves, pruned] = [new TrieParts(), new TrieParts()];
  let wanted = parts[place];
  const isBehind = (offset: Offset) => wanted !== undefined && offset >= wanted.nextOffset;
  for (const segment of segments) {
    const gone =
      segment.prunedPath === null ? new TrieParts() : await readPruned(disk, segment.prunedPath);
    let next = 0;
    const takePruned = () => {
      for (; wanted !== undefined && gone.at(next) < wanted.nextOffset; next += 1) {
        pruned.push(gone.at(next), gone.span(next), gone.digest(next));
      }
    };
    for await (const { header, body } of batchesOf(disk, logTag, segment)) {
      for (let start = 0, end = 0; start < body.length; start = end) {
        end = recordEnd(body, start);
        const offset = header.baseOffset + body.readUInt32LE(start + 4);
        while (wanted !== undefined && isBehind(offset)) {
          takePruned();
          yield { part: wanted, leaves, pruned };
          [leaves, pruned] = [new TrieParts(), new TrieParts()];
          place += 1;
          wanted = parts[place];
        }
        if (wanted === undefined || offset < wanted.baseOffset) continue;
        rest();
        const content = start + recordPlaceLength;
        leaves.push(offset, 1, leafOf(offset, header.appendTime, body, content, end));
      }
    }
    takePruned();
  }
  for (; wanted !== undefined; wanted = parts[place]) {
    yield { part: wanted, leaves, pruned };
    [leaves, pruned] = [new TrieParts(), new TrieParts()];
    place += 1;
  }
}

async function* batchesOf(
  disk: Disk,
  logTag: number,
  { path, end }: SegmentPart,
): AsyncGenerator<ScannedBatch> {
  const file = await disk.open(path, 'read');
  try {
    const scan = new BatchScan({
      disk,
      file,
      position: segmentHeaderLength,
      limit: end,
      logTag,
      chain: null,
      chunkBytes,
    });
    for (let batches = await scan.next(); batches.length > 0; batches = await scan.next()) {
      yield* batches;
    }
    if (scan.position < end) throw new Error(`${path}: ${scan.fault ?? 'it ends too early'}`);
  } finally {
    await disk.close(file);
  }
}
