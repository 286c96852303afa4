/** Maps index terms to record offsets: which records of a segment may carry a term. */
import { crc32 } from 'node:zlib';
import { partLength, TermGroups } from './term-groups.js';

/** A term's hash: its CRC-32. Hits are confirmed by reading the record: collisions cost a read. */
export function hashTerm(term: string): number {
  if (term.length > shortTerm) return crc32(term);
  let checksum = -1;
  for (let index = 0; index < term.length; index += 1) {
    const code = term.charCodeAt(index);
    if (code > 0x7f) return crc32(term);
    checksum = (checksums[(checksum ^ code) & 0xff] ?? 0) ^ (checksum >>> 8);
  }
  return ~checksum >>> 0;
}

/** The hash of a term at [start, end) of `bytes`. */
export function hashTermIn(bytes: Buffer, start: number, end: number): number {
  if (end - start > shortTerm) return crc32(bytes.subarray(start, end));
  let checksum = -1;
  for (let index = start; index < end; index += 1) {
    checksum = (checksums[(checksum ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (checksum >>> 8);
  }
  return ~checksum >>> 0;
}

/** Up to this length, a loop is cheaper than a native call. */
const shortTerm = 64;

/** The CRC-32 table: what each byte contributes. */
const checksums = Int32Array.from({ length: 256 }, (_, byte) => {
  let checksum = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    checksum = (checksum >>> 1) ^ (checksum & 1 ? 0xedb88320 : 0);
  }
  return checksum;
});

/** Hashes and offsets in append order, 8 bytes per entry: cheap to extend while writing. */
export class TermList {
  private hashes = new Uint32Array(16);
  private relativeOffsets = new Uint32Array(16);
  /** Groups of the first parts, as far as look-ups have paid for them. */
  private readonly groups: TermGroups[] = [];
  length = 0;

  /** `relativeOffset` must not be lower than that of the term before. */
  add(hash: number, relativeOffset: number): void {
    if (this.length === this.hashes.length) {
      this.hashes = doubled(this.hashes);
      this.relativeOffsets = doubled(this.relativeOffsets);
    }
    this.hashes[this.length] = hash;
    this.relativeOffsets[this.length] = relativeOffset;
    this.length += 1;
  }

  /** Adds all of `other`, whose offsets are relative to a base that is higher by `shift`. */
  addAll(other: TermList, shift: number): void {
    for (let entry = 0; entry < other.length; entry += 1) {
      this.add(other.hashAt(entry), other.offsetAt(entry) + shift);
    }
  }

  /** Empties the list, but keeps its memory for the next segment. */
  clear(): void {
    this.length = 0;
    if (this.groups.length > 0) this.groups.length = 0;
  }

  /** Entries are numbered from 0 in the order in which they were added. */
  hashAt(entry: number): number {
    return this.hashes[entry] ?? 0;
  }

  offsetAt(entry: number): number {
    return this.relativeOffsets[entry] ?? 0;
  }

  /**
   * The relative offsets with this hash, rising. Each look-up groups one more part, so that only
   * the first ones pass over all of a segment's million terms.
   */
  find(hash: number): number[] {
    const found: number[] = [];
    const { hashes, groups, length } = this;
    let from = 0;
    for (const part of groups) {
      for (const entry of part.of(hash)) {
        if (hashes[from + entry] === hash) found.push(this.offsetAt(from + entry));
      }
      from += partLength;
    }
    for (let entry = from; entry < length; entry += 1) {
      if (hashes[entry] === hash) found.push(this.offsetAt(entry));
    }
    const end = from + partLength;
    if (end <= length) groups.push(new TermGroups(hashes.subarray(from, end)));
    return found;
  }

  /** All entries in one fixed order, in whatever order they were added. */
  sorted(): BigUint64Array {
    const entries = new BigUint64Array(this.length);
    for (let entry = 0; entry < this.length; entry += 1) {
      entries[entry] = (BigInt(this.offsetAt(entry)) << 32n) | BigInt(this.hashAt(entry));
    }
    return entries.sort();
  }

  /** Bytes that it takes in memory. */
  get byteLength(): number {
    const grouped = this.groups.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return this.hashes.length * 8 + grouped;
  }
}

function doubled(from: Uint32Array): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(from.length * 2);
  to.set(from);
  return to;
}

/** About this many entries share a bucket: a look-up reads this many hashes. */
const entriesPerBucket = 8;

/*
  KeyIndex =>
    bucketCount  UINT32    a power of two
    entryCount   UINT32
    starts       [UINT32]  bucketCount + 1: bucket b is entries [starts[b], starts[b + 1])
    entries      [hash UINT32, relativeOffset UINT32]   by bucket, then by offset

  The bucket is the low bits of the hash. Grouping by bucket takes one pass, a full sort does not.
*/
/** The terms of a sealed segment. */
export class KeyIndex {
  private constructor(private readonly bytes: Buffer) {}

  /** Sorts the entries of a list into buckets; the list itself is not changed. */
  static build(terms: TermList): KeyIndex {
    let bucketCount = 1;
    while (bucketCount * entriesPerBucket < terms.length) bucketCount *= 2;
    const cursors = new Uint32Array(bucketCount + 1);
    const mask = bucketCount - 1;
    for (let entry = 0; entry < terms.length; entry += 1) {
      const next = (terms.hashAt(entry) & mask) + 1;
      cursors[next] = (cursors[next] ?? 0) + 1;
    }
    const entriesStart = 8 + (bucketCount + 1) * 4;
    const bytes = Buffer.alloc(entriesStart + terms.length * 8);
    // A view writes a number at once, while a Buffer writes its bytes one by one.
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    view.setUint32(0, bucketCount, true);
    view.setUint32(4, terms.length, true);
    let total = 0;
    for (let bucket = 0; bucket <= bucketCount; bucket += 1) {
      total += cursors[bucket] ?? 0;
      cursors[bucket] = total;
      view.setUint32(8 + bucket * 4, total, true);
    }
    for (let entry = 0; entry < terms.length; entry += 1) {
      const hash = terms.hashAt(entry);
      const slot = cursors[hash & mask] ?? 0;
      cursors[hash & mask] = slot + 1;
      view.setUint32(entriesStart + slot * 8, hash, true);
      view.setUint32(entriesStart + slot * 8 + 4, terms.offsetAt(entry), true);
    }
    return new KeyIndex(bytes);
  }

  /** Uses bytes that `encode` returned; the caller has verified their checksum. */
  static decode(bytes: Buffer): KeyIndex {
    return new KeyIndex(bytes);
  }

  /** Its bytes in an index file: the same that it works on. */
  encode(): Buffer {
    return this.bytes;
  }

  /** The number of buckets, which a look-up in the stored bytes needs. */
  get bucketCount(): number {
    return this.bytes.readUInt32LE(0);
  }

  /** The number of entries in all buckets. */
  get entryCount(): number {
    return this.bytes.readUInt32LE(4);
  }

  /** The relative offsets with this hash, rising. */
  find(hash: number): number[] {
    const at = (place: Place) => this.bytes.subarray(place.position, place.position + place.length);
    const bucket = bucketPlace(at(boundsPlace(hash, this.bucketCount)), this.bucketCount);
    return entriesOf(at(bucket), hash);
  }

  /**
   * Whether look-ups find exactly `terms` below the relative offset `until`: every entry is in the
   * bucket of its hash, none is missing and none is extra. One pass over both.
   */
  holdsExactly(terms: TermList, until: number): boolean {
    const { bytes, bucketCount } = this;
    const own = new TermList();
    const entriesStart = 8 + (bucketCount + 1) * 4;
    let position = entriesStart;
    for (let bucket = 0; bucket < bucketCount; bucket += 1) {
      const end = entriesStart + bytes.readUInt32LE(12 + bucket * 4) * 8;
      for (; position < end; position += 8) {
        const hash = bytes.readUInt32LE(position);
        const offset = bytes.readUInt32LE(position + 4);
        if ((hash & (bucketCount - 1)) !== bucket) return false;
        if (offset < until) own.add(hash, offset);
      }
      if (position !== end) return false;
    }
    const isWhole = position === bytes.length && bytes.readUInt32LE(8) === 0;
    if (!isWhole || own.length !== terms.length) return false;
    if (KeyIndex.build(own).bytes.equals(KeyIndex.build(terms).bytes)) return true;
    // Entries that were left out may have meant more buckets, which order the rest differently.
    const [one, other] = [own.sorted(), terms.sorted()];
    return one.every((entry, place) => entry === other[place]);
  }

  /** Every entry as a list, for a segment that grows again after a clean stop. */
  toTerms(): TermList {
    const terms = new TermList();
    const entriesStart = 8 + (this.bytes.readUInt32LE(0) + 1) * 4;
    for (let position = entriesStart; position < this.bytes.length; position += 8) {
      terms.add(this.bytes.readUInt32LE(position), this.bytes.readUInt32LE(position + 4));
    }
    return terms;
  }

  /** Bytes that it takes in memory, and in its file. */
  get byteLength(): number {
    return this.bytes.length;
  }
}

/** A part of an encoded key index. */
interface Place {
  readonly position: number;
  readonly length: number;
}

/** The stored bytes of an index are not what they were when it was opened. */
export class IndexFault extends Error {
  override readonly name = 'IndexFault';
}

/**
 * Like `KeyIndex.find`, for index bytes that stay in their file: two small reads. Rejects with
 * `IndexFault` if they cannot be the bytes of the index.
 */
export async function findStored(
  hash: number,
  { bucketCount, entryCount }: Pick<KeyIndex, 'bucketCount' | 'entryCount'>,
  read: (place: Place) => Promise<Buffer>,
): Promise<number[]> {
  const bounds = await read(boundsPlace(hash, bucketCount));
  if (bounds.length < 8) throw new IndexFault('an index is shorter than it was');
  const [start, end] = [bounds.readUInt32LE(0), bounds.readUInt32LE(4)];
  if (start > end || end > entryCount) throw new IndexFault('an index has no such bucket');
  const place = bucketPlace(bounds, bucketCount);
  const bucket = await read(place);
  if (bucket.length < place.length) throw new IndexFault('an index is shorter than it was');
  for (let position = 0; position < bucket.length; position += 8) {
    const isOther = ((bucket.readUInt32LE(position) ^ hash) & (bucketCount - 1)) !== 0;
    if (isOther) throw new IndexFault('an index has a term of another bucket');
  }
  return entriesOf(bucket, hash);
}

/** The place that says which entries are in the hash's bucket: `starts[b]` and `starts[b + 1]`. */
function boundsPlace(hash: number, bucketCount: number): Place {
  return { position: 8 + (hash & (bucketCount - 1)) * 4, length: 8 };
}

function bucketPlace(bounds: Buffer, bucketCount: number): Place {
  const start = bounds.readUInt32LE(0);
  const entriesStart = 8 + (bucketCount + 1) * 4;
  return { position: entriesStart + start * 8, length: (bounds.readUInt32LE(4) - start) * 8 };
}

function entriesOf(bucket: Buffer, hash: number): number[] {
  const found: number[] = [];
  for (let position = 0; position < bucket.length; position += 8) {
    if (bucket.readUInt32LE(position) === hash) found.push(bucket.readUInt32LE(position + 4));
  }
  return found;
}
