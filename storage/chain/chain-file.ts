/** The chain of a log on disk: one entry for each segment that was ever sealed, in order. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Offset, readOffset, writeOffset } from '../offsets/offset.js';
import { digestLength } from './record-trie.js';

/*
  CHAIN => entries, 96 bytes each, never changed

  entry =>
     0  checksum     UINT32   crc32 of bytes 4 to 95
     4  recordCount  UINT32   records that the segment held when it was sealed
     8  baseOffset   UINT64
    16  nextOffset   UINT64
    24  version      UINT16   1
    26  reserved     6 bytes of zero
    32  root         32 bytes of the trie over its records (record-trie.ts)
    64  link         32 bytes SHA-256 of the link before and bytes 4 to 63; the first entry's link
                              before is SHA-256 of 'stepwell chain', store id and log id

  A segment that a sweep or a merge puts in the place of others has no entry of its own: the roots
  stay the same, and digests beside the records replace the removed ones (pruned-file.ts).
*/
/** Bytes of an entry: entry n is at n times this. */
export const chainEntryLength = 96;
const version = 1;

/** A segment as it was when it was sealed. */
export interface SealedPart {
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  readonly recordCount: number;
  readonly root: Buffer;
}

/** One entry of the chain. */
export interface ChainEntry extends SealedPart {
  /** Identifies the content of all records before `nextOffset`. */
  readonly link: Buffer;
}

/** The link before the first entry. */
export function firstLink(storeId: Buffer, logId: number): Buffer {
  const id = Buffer.alloc(4);
  id.writeUInt32LE(logId);
  return createHash('sha256').update('stepwell chain').update(storeId).update(id).digest();
}

function encodePart({ recordCount, baseOffset, nextOffset, root }: SealedPart): Buffer {
  const bytes = Buffer.alloc(chainEntryLength);
  bytes.writeUInt32LE(recordCount, 4);
  writeOffset(bytes, baseOffset, 8);
  writeOffset(bytes, nextOffset, 16);
  bytes.writeUInt16LE(version, 24);
  root.copy(bytes, 32, 0, digestLength);
  return bytes;
}

/** The entry for `part` after the entry with the link `previous`. */
export function nextEntry(previous: Buffer, part: SealedPart): ChainEntry {
  const bytes = encodePart(part).subarray(4, 64);
  return { ...part, link: createHash('sha256').update(previous).update(bytes).digest() };
}

/** Encodes an entry. */
export function encodeEntry(entry: ChainEntry): Buffer {
  const bytes = encodePart(entry);
  entry.link.copy(bytes, 64, 0, digestLength);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  return bytes;
}

/** The content of a chain file. */
export interface ReadChain {
  /** The intact entries from the beginning. */
  readonly entries: readonly ChainEntry[];
  /** Why the next entry is not intact; null at the end, or if a crash cut its writing off. */
  readonly fault: string | null;
}

/** Decodes a chain file whose first entry follows `first`. */
export function decodeChain(bytes: Buffer, first: Buffer): ReadChain {
  const entries: ChainEntry[] = [];
  let [previous, end] = [first, 0];
  for (let at = 0; at + chainEntryLength <= bytes.length; at += chainEntryLength) {
    const source = bytes.subarray(at, at + chainEntryLength);
    const entry = decodeEntry(source);
    if (entry === null) return { entries, fault: faultAt(bytes, at) };
    const follows = entry.baseOffset >= end && entry.nextOffset >= entry.baseOffset;
    if (!follows || !nextEntry(previous, entry).link.equals(entry.link)) {
      return { entries, fault: `entry ${entries.length} does not follow the one before it` };
    }
    entries.push(entry);
    [previous, end] = [entry.link, entry.nextOffset];
  }
  return { entries, fault: null };
}

/** Why the entry at `at` is faulty; null for the last one, which a crash may have cut off. */
function faultAt(bytes: Buffer, at: number): string | null {
  const isLast = at + 2 * chainEntryLength > bytes.length;
  return isLast ? null : `entry ${at / chainEntryLength} is not intact`;
}

function decodeEntry(source: Buffer): ChainEntry | null {
  if (source.readUInt32LE(0) !== crc32(source.subarray(4))) return null;
  if (source.readUInt16LE(24) !== version) return null;
  return {
    recordCount: source.readUInt32LE(4),
    baseOffset: readOffset(source, 8),
    nextOffset: readOffset(source, 16),
    root: Buffer.from(source.subarray(32, 64)),
    link: Buffer.from(source.subarray(64, 96)),
  };
}
