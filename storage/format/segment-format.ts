/** The bytes before and after the batches in a segment file: header and footer. */
import { crc32 } from 'node:zlib';
import { type Offset, readOffset, writeOffset } from '../offsets/offset.js';

/*
  Segment => header (64 bytes), batches, and once it is sealed: footer (128 bytes)

  header =>
     0  magic             'SWSG'
     4  version           UINT16   1
     6  minimumVersion    UINT16   1: a program that cannot read it refuses the file
     8  storeId           16 bytes
    24  logId             UINT32
    28  number            UINT32   must equal the file's name
    32  baseOffset        UINT64   of its first batch, or of the segments that it replaces
    40  chainSeed         UINT32   headerChecksum of the last batch in the segment before
    44  previousEnd       UINT32   where the batches of the segment before end; all fdatasynced
                                   (both: of the segment that was before it when it was begun)
    48  createdAt         FLOAT64  ms
    56  epoch             UINT32
    60  checksum          UINT32   crc32 of bytes 0 to 59

  The header is written with the first batch: a segment that was made ahead is all zeros.
*/
/** Bytes before the first batch. */
export const segmentHeaderLength = 64;
const headerMagic = 0x47535753;
const version = 1;

/** The fields of the header as drawn above; `createdAt` is Unix time in milliseconds. */
export interface SegmentHeader {
  readonly storeId: Buffer;
  readonly logId: number;
  readonly number: number;
  readonly baseOffset: Offset;
  readonly chainSeed: number;
  readonly previousEnd: number;
  readonly createdAt: number;
  readonly epoch: number;
}

/** Writes the first 64 bytes of `target`, the checksum included. */
export function encodeSegmentHeader(target: Buffer, header: SegmentHeader): void {
  target.writeUInt32LE(headerMagic, 0);
  target.writeUInt16LE(version, 4);
  target.writeUInt16LE(version, 6);
  header.storeId.copy(target, 8, 0, 16);
  target.writeUInt32LE(header.logId, 24);
  target.writeUInt32LE(header.number, 28);
  writeOffset(target, header.baseOffset, 32);
  target.writeUInt32LE(header.chainSeed, 40);
  target.writeUInt32LE(header.previousEnd, 44);
  target.writeDoubleLE(header.createdAt, 48);
  target.writeUInt32LE(header.epoch, 56);
  target.writeUInt32LE(crc32(target.subarray(0, 60)), 60);
}

/** Which store writes a segment, and by which clock: recorded in its header and batches. */
export interface SegmentOrigin {
  readonly storeId: Buffer;
  readonly epoch: number;
  /** Unix time in milliseconds. */
  now(): number;
}

/** The header of a segment file; null if there is no intact one. */
export function decodeSegmentHeader(source: Buffer): SegmentHeader | null {
  if (source.length < segmentHeaderLength || source.readUInt32LE(0) !== headerMagic) return null;
  if (source.readUInt32LE(60) !== crc32(source.subarray(0, 60))) return null;
  if (source.readUInt16LE(6) > version) return null;
  return {
    storeId: Buffer.from(source.subarray(8, 24)),
    logId: source.readUInt32LE(24),
    number: source.readUInt32LE(28),
    baseOffset: readOffset(source, 32),
    chainSeed: source.readUInt32LE(40),
    previousEnd: source.readUInt32LE(44),
    createdAt: source.readDoubleLE(48),
    epoch: source.readUInt32LE(56),
  };
}

/** What the header of a segment says of the segment before it. */
export interface SegmentLink {
  readonly lastChecksum: number;
  readonly end: number;
}

/** Whether a segment was begun after the segment or segments that `before` links to. */
function followsOn(header: SegmentHeader, before: { readonly link: SegmentLink }): boolean {
  const { lastChecksum, end } = before.link;
  return header.chainSeed === lastChecksum && header.previousEnd === end;
}

/** The place where a segment belongs. */
export interface SegmentPlace {
  readonly logId: number;
  readonly number: number;
  /** The segment before it, if that still exists. */
  readonly before: { readonly link: SegmentLink } | null | undefined;
}

/** Why a segment with this header does not belong in a place; null if it does. */
export function headerFault(
  storeId: Buffer,
  { logId, number, before }: SegmentPlace,
  header: SegmentHeader | null,
): string | null {
  if (header === null) return 'no intact segment header';
  if (!header.storeId.equals(storeId) || header.logId !== logId) {
    return 'the file belongs to another log or store';
  }
  if (header.number !== number) return 'the file was renamed';
  const follows = before == null || followsOn(header, before);
  return follows ? null : 'it does not follow the segment before it';
}

/*
  footer =>
     0  magic             'SWSE'
     4  checksum          UINT32   crc32 of bytes 8 to 127
     8  version           UINT16   2; 1 if lastAppendTime is not known
    10  reserved          6 bytes of zero
    16  baseOffset        UINT64
    24  nextOffset        UINT64
    32  end               UINT32   where the batches end and this footer begins
    36  batchCount        UINT32
    40  recordCount       UINT32
    44  lastChecksum      UINT32   headerChecksum of the last batch
    48  maxTimestamp      FLOAT64  ms
    56  digest            32 bytes SHA-256 of the file up to `end`
    88  lastAppendTime    FLOAT64  ms; since version 2, zero bytes before
    96  reserved          32 bytes of zero

  The manifest repeats it; a difference is damage.
*/
/** Bytes after the last batch of a sealed segment. */
export const segmentFooterLength = 128;
const footerMagic = 0x45535753;

/** The end of a segment, which never changes once it is sealed. */
export interface SegmentEnd {
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  readonly end: number;
  readonly batchCount: number;
  readonly recordCount: number;
  readonly lastChecksum: number;
  readonly maxTimestamp: number;
  /** When its last batch was appended, ms, by the clock of the store; version 1 has none. */
  readonly lastAppendTime?: number | undefined;
}

/** The 128 bytes after the batches of a sealed segment. */
export function encodeSegmentFooter(segment: SegmentEnd, digest: Buffer): Buffer {
  const footer = Buffer.alloc(segmentFooterLength);
  footer.writeUInt32LE(footerMagic, 0);
  footer.writeUInt16LE(segment.lastAppendTime === undefined ? 1 : 2, 8);
  writeOffset(footer, segment.baseOffset, 16);
  writeOffset(footer, segment.nextOffset, 24);
  footer.writeUInt32LE(segment.end, 32);
  footer.writeUInt32LE(segment.batchCount, 36);
  footer.writeUInt32LE(segment.recordCount, 40);
  footer.writeUInt32LE(segment.lastChecksum, 44);
  footer.writeDoubleLE(segment.maxTimestamp, 48);
  digest.copy(footer, 56, 0, 32);
  footer.writeDoubleLE(segment.lastAppendTime ?? 0, 88);
  footer.writeUInt32LE(crc32(footer.subarray(8)), 4);
  return footer;
}

/** The content of a footer, with the digest in hex; null if not intact, or of a later version. */
export function decodeSegmentFooter(
  footer: Buffer,
): { readonly end: SegmentEnd; readonly digest: string } | null {
  if (footer.length !== segmentFooterLength || footer.readUInt32LE(0) !== footerMagic) return null;
  if (footer.readUInt32LE(4) !== crc32(footer.subarray(8))) return null;
  const footerVersion = footer.readUInt16LE(8);
  if (footerVersion > 2) return null;
  const end = {
    baseOffset: readOffset(footer, 16),
    nextOffset: readOffset(footer, 24),
    end: footer.readUInt32LE(32),
    batchCount: footer.readUInt32LE(36),
    recordCount: footer.readUInt32LE(40),
    lastChecksum: footer.readUInt32LE(44),
    maxTimestamp: footer.readDoubleLE(48),
    ...(footerVersion > 1 && { lastAppendTime: footer.readDoubleLE(88) }),
  };
  return { end, digest: footer.subarray(56, 88).toString('hex') };
}
