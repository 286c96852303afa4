/** Everything that finds records in one segment, and the file for it once the segment is sealed. */
import { crc32 } from 'node:zlib';
import type { SegmentEnd } from '../format/segment-format.js';
import { union } from '../offsets/rising-offsets.js';
import { hashTerm, KeyIndex, TermList } from './key-index.js';

/*
  IndexFile =>
     0  magic          'SWIX'
     4  checksum       UINT32   crc32 of everything from byte 8 on
     8  version        UINT16   1
    10  reserved       2 bytes of zero
    12  logTag         UINT32   of the segment's batches
    16  number         UINT32   of the segment
    20  end            UINT32   bytes of the segment that are indexed
    24  lastChecksum   UINT32   headerChecksum of the last indexed batch
    28  offsetsLength  UINT32
    32  offset index, then key index

  Derived data: a file that does not fit its segment is ignored and made again.
*/
const magic = 0x58495753;
const version = 1;
const headerLength = 32;

/** For more terms, a pass over all entries costs less than one look-up for each. */
const longListMin = 64;

/** What an index file must match to be used. */
export interface IndexedSegment {
  readonly logTag: number;
  readonly number: number;
  readonly segment: SegmentEnd;
}

/** Where the terms are in an index file. */
export interface StoredKeys {
  /** Position of the key index in the file. */
  readonly start: number;
  readonly bucketCount: number;
  readonly entryCount: number;
}

/** Bytes of log between two entries: what a look-up may have to read in vain. */
const indexIntervalBytes = 16 * 1024;

/** Position of the first batch in a segment, behind its header. */
const firstPosition = 64;

/**
 * Maps offsets and times to file positions, with one entry for every 16 KiB of a segment. Entry i
 * says: the batch at its position begins at its relative offset (offset - the segment's base), and
 * every batch before it has a maxTimestamp of at most its time before. One table answers both
 * questions, since a batch that raises no maximum is never the first at or after a time.
 */
export class OffsetIndex {
  private relativeOffsets = new Uint32Array(16);
  private positions = new Uint32Array(16);
  private timesBefore = new Float64Array(16);
  private length = 0;
  private maxTimestamp = Number.NEGATIVE_INFINITY;

  /** Notes the next batch; it becomes an entry if it is an interval behind the last entry. */
  add(relativeOffset: number, position: number, maxTimestamp: number): void {
    const last = this.length === 0 ? 0 : (this.positions[this.length - 1] ?? 0);
    if (position - last >= indexIntervalBytes) this.push(relativeOffset, position);
    this.maxTimestamp = Math.max(this.maxTimestamp, maxTimestamp);
  }

  /** Where to start reading for `relativeOffset`: a batch at or before the one that contains it. */
  positionOf(relativeOffset: number): number {
    return this.positionBefore((entry) => (this.relativeOffsets[entry] ?? 0) <= relativeOffset);
  }

  /** Where to stop reading: no batch from there on begins at or below `relativeOffset`. */
  positionBeyond(relativeOffset: number): number {
    const entry = this.entriesThat((each) => (this.relativeOffsets[each] ?? 0) <= relativeOffset);
    return entry === this.length ? Number.POSITIVE_INFINITY : (this.positions[entry] ?? 0);
  }

  /** Where to start looking for the first record with a timestamp of at least `timestamp`. */
  positionOfTime(timestamp: number): number {
    return this.positionBefore((entry) => (this.timesBefore[entry] ?? 0) < timestamp);
  }

  /** The last entry strictly before `position`: reading backwards goes interval by interval. */
  positionBelow(position: number): number {
    return this.positionBefore((entry) => (this.positions[entry] ?? 0) < position);
  }

  /** Whether its entries for positions below `end` are exactly those of `made`. */
  agreesWith(made: OffsetIndex, end: number): boolean {
    const [own, expected] = [this.encode().subarray(8), made.encode().subarray(8)];
    const isBehind = this.length === made.length || (this.positions[made.length] ?? 0) >= end;
    return isBehind && own.subarray(0, expected.length).equals(expected);
  }

  /** The entries as bytes: count UINT32, padding, then three numbers per entry. */
  encode(): Buffer {
    const count = this.length;
    const bytes = Buffer.alloc(8 + count * 16);
    bytes.writeUInt32LE(count, 0);
    for (let entry = 0; entry < count; entry += 1) {
      const start = 8 + entry * 16;
      bytes.writeUInt32LE(this.relativeOffsets[entry] ?? 0, start);
      bytes.writeUInt32LE(this.positions[entry] ?? 0, start + 4);
      bytes.writeDoubleLE(this.timesBefore[entry] ?? 0, start + 8);
    }
    return bytes;
  }

  /** The inverse of `encode`; the caller has verified the checksum of the bytes. */
  static decode(bytes: Buffer, maxTimestamp: number): OffsetIndex {
    const index = new OffsetIndex();
    for (let start = 8; start < bytes.length; start += 16) {
      index.maxTimestamp = bytes.readDoubleLE(start + 8);
      index.push(bytes.readUInt32LE(start), bytes.readUInt32LE(start + 4));
    }
    index.maxTimestamp = maxTimestamp;
    return index;
  }

  /** Bytes that it takes in memory. */
  get byteLength(): number {
    return this.positions.length * 16;
  }

  private push(relativeOffset: number, position: number): void {
    if (this.length === this.positions.length) {
      this.relativeOffsets = doubled(this.relativeOffsets, new Uint32Array(this.length * 2));
      this.positions = doubled(this.positions, new Uint32Array(this.length * 2));
      this.timesBefore = doubled(this.timesBefore, new Float64Array(this.length * 2));
    }
    this.relativeOffsets[this.length] = relativeOffset;
    this.positions[this.length] = position;
    this.timesBefore[this.length] = this.maxTimestamp;
    this.length += 1;
  }

  /** The position of the last entry for which `holds` is true. */
  private positionBefore(holds: (entry: number) => boolean): number {
    const count = this.entriesThat(holds);
    return count === 0 ? firstPosition : (this.positions[count - 1] ?? firstPosition);
  }

  /** For how many entries `hold` is true; those come first. */
  private entriesThat(hold: (entry: number) => boolean): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (hold(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function doubled<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** The index of one segment; grows while `terms` is a list, and is read-only afterwards. */
export class SegmentIndex {
  /** Whether it equals its file: it was read from there, and nothing was added since. */
  isStored = false;

  constructor(
    readonly offsets = new OffsetIndex(),
    private terms: TermList | KeyIndex = new TermList(),
  ) {}

  /** Notes the next batch, `relativeOffset` after the segment's base. */
  addBatch(header: { maxTimestamp: number }, relativeOffset: number, position: number): void {
    this.isStored = false;
    this.offsets.add(relativeOffset, position, header.maxTimestamp);
  }

  /** Adds terms in append order. */
  addTerms(terms: TermList, shift: number): void {
    this.growing().addAll(terms, shift);
  }

  /** Adds one term, by its `hashTerm`. */
  addTerm(hash: number, relativeOffset: number): void {
    this.growing().add(hash, relativeOffset);
  }

  /** Offsets, relative to the segment's base and rising, of records that may carry `term`. */
  find(term: string): number[] {
    return this.terms.find(hashTerm(term));
  }

  /** The offsets of records with one of the terms, rising, each once. */
  findAny(terms: readonly string[]): number[] {
    const { terms: index } = this;
    const isLong = terms.length > longListMin;
    if (isLong && index instanceof TermList) return passedOver(index, terms);
    return union(terms.map((term) => this.find(term)));
  }

  /** Bytes that it takes in memory. */
  get byteLength(): number {
    return this.offsets.byteLength + this.terms.byteLength;
  }

  /**
   * How this index differs from `made`, which was just built from all records of its segment; null
   * if look-ups in both find the same. Entries of records beyond the segment's end, which recovery
   * moved to the next segment, are ignored here as by every reader.
   */
  faultBeside(made: SegmentIndex, { baseOffset, nextOffset, end }: SegmentEnd): string | null {
    if (!this.offsets.agreesWith(made.offsets, end)) return 'it leads to other batches';
    const keys = this.terms instanceof KeyIndex ? this.terms : KeyIndex.build(this.terms);
    if (keys.holdsExactly(made.growing(), nextOffset - baseOffset)) return null;
    return 'it leads to other records than those that carry its terms';
  }

  /** Encodes the index file. */
  encode({ logTag, number, segment }: IndexedSegment): Buffer {
    const offsets = this.offsets.encode();
    const keys = this.terms instanceof KeyIndex ? this.terms : KeyIndex.build(this.terms);
    const bytes = Buffer.concat([Buffer.alloc(headerLength), offsets, keys.encode()]);
    bytes.writeUInt32LE(magic, 0);
    bytes.writeUInt16LE(version, 8);
    bytes.writeUInt32LE(logTag, 12);
    bytes.writeUInt32LE(number, 16);
    bytes.writeUInt32LE(segment.end, 20);
    bytes.writeUInt32LE(segment.lastChecksum, 24);
    bytes.writeUInt32LE(offsets.length, 28);
    bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
    return bytes;
  }

  /** The index in `bytes`; null if it is not the intact index of exactly this segment. */
  static decode(bytes: Buffer, { logTag, number, segment }: IndexedSegment): SegmentIndex | null {
    if (bytes.length < headerLength || bytes.readUInt32LE(0) !== magic) return null;
    if (bytes.readUInt32LE(4) !== crc32(bytes.subarray(8))) return null;
    if (bytes.readUInt16LE(8) !== version || bytes.readUInt32LE(12) !== logTag) return null;
    if (bytes.readUInt32LE(16) !== number || bytes.readUInt32LE(20) !== segment.end) return null;
    if (bytes.readUInt32LE(24) !== segment.lastChecksum) return null;
    const keysStart = keysStartOf(bytes);
    const offsets = OffsetIndex.decode(
      bytes.subarray(headerLength, keysStart),
      segment.maxTimestamp,
    );
    const index = new SegmentIndex(offsets, KeyIndex.decode(bytes.subarray(keysStart)));
    index.isStored = true;
    return index;
  }

  /** Makes an index that was read from its file growable, because its segment grows again. */
  private growing(): TermList {
    if (this.terms instanceof KeyIndex) this.terms = this.terms.toTerms();
    return this.terms;
  }
}

/** Where the terms are in the bytes of an index file that `decode` has found intact. */
export function storedKeysOf(bytes: Buffer): StoredKeys {
  const start = keysStartOf(bytes);
  const { bucketCount, entryCount } = KeyIndex.decode(bytes.subarray(start));
  return { start, bucketCount, entryCount };
}

function keysStartOf(bytes: Buffer): number {
  return headerLength + bytes.readUInt32LE(28);
}

/** The offsets of entries with one of the terms, each once: one pass over all entries. */
function passedOver(list: TermList, terms: readonly string[]): number[] {
  const wanted = new Set(terms.map(hashTerm));
  const found: number[] = [];
  for (let entry = 0; entry < list.length; entry += 1) {
    if (wanted.has(list.hashAt(entry))) found.push(list.offsetAt(entry));
  }
  return union([found]);
}
