/** The batch: the unit of writing and checking, which exists as a whole or not at all. */
import { crc32 } from 'node:zlib';
import { type LookedThrough, type Offset, readOffset, writeOffset } from '../offsets/offset.js';
import { decodeRecords, findRecord, recordOffsets, type StoredRecord } from './record.js';

/*
  RecordBatch => header (88 bytes), body, 0 to 7 zero bytes up to a multiple of 8

  header =>
     0  magic               'SWRB'   zero bytes here mean: nothing was written from here on
     4  headerChecksum      UINT32   crc32 of bytes 8 to 87
     8  bodyLength          UINT32   at most 32 MiB
    12  bodyChecksum        UINT32   crc32 of the body
    16  version             UINT8    1
    17  codec               UINT8    0: not compressed
    18  attributes          UINT16   bit 0: written again by recovery
    20  epoch               UINT32   rises by one at every start of the store
    24  baseOffset          UINT64   at least the end of the batch before it
    32  offsetCount         UINT32   nextOffset - baseOffset
    36  recordCount         UINT32   fewer than offsetCount once a log is compacted
    40  filePosition        UINT32   where this header lies in its file
    44  durablePosition     UINT32   bytes of this file that were fdatasynced when this was written
    48  previousChecksum    UINT32   headerChecksum of the batch before; the segment's seed at first
    52  logTag              UINT32   crc32 of store id and log id
    56  appendTime          FLOAT64  ms; the store's clock, never falling within a log
    64  maxTimestamp        FLOAT64  ms; the largest timestamp of its records
    72  reserved            16 bytes of zero

  The header has its own checksum, so its length is believed only when it is intact. Position, tag
  and chain make a valid batch in the wrong place (a stale tail, a copied file) invalid.
*/
/** Bytes before the body of each batch. */
export const batchHeaderLength = 88;
const magic = 0x42525753;
/** The bytes with which every batch begins. */
export const batchMagic = Buffer.from('SWRB');
const version = 1;
const attributeRewritten = 1;

/** The largest body, and so the largest append. */
export const bodyLengthMax = 32 * 1024 * 1024;

/** The header before a batch's records. Offsets are half-open: [baseOffset, nextOffset). */
export interface BatchHeader {
  readonly headerChecksum: number;
  readonly bodyLength: number;
  readonly bodyChecksum: number;
  readonly rewritten: boolean;
  readonly epoch: number;
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  readonly recordCount: number;
  readonly filePosition: number;
  readonly durablePosition: number;
  readonly previousChecksum: number;
  readonly logTag: number;
  readonly appendTime: number;
  readonly maxTimestamp: number;
}

/** Bytes that a batch takes in its file. */
export function batchLength(bodyLength: number): number {
  return (batchHeaderLength + bodyLength + 7) & ~7;
}

/** Where a batch ends in its file. */
export function batchEnd({ filePosition, bodyLength }: BatchHeader): number {
  return filePosition + batchLength(bodyLength);
}

/** The tag that marks the batches of one log of one store. */
export function logTagOf(storeId: Buffer, logId: number): number {
  const id = Buffer.alloc(4);
  id.writeUInt32LE(logId);
  return crc32(id, crc32(storeId));
}

/** The header fields about the content of a batch. */
export type BatchContent = Pick<
  BatchHeader,
  'bodyLength' | 'baseOffset' | 'nextOffset' | 'recordCount' | 'appendTime' | 'maxTimestamp'
>;

/** The header fields about the place of a batch. */
export type BatchPlace = Pick<
  BatchHeader,
  'rewritten' | 'epoch' | 'filePosition' | 'durablePosition' | 'previousChecksum' | 'logTag'
>;

/**
 * Writes the header of the batch whose body is at `start + 88` in `target`, checksums included, and
 * zeroes the padding after the body. Returns the header checksum, to which the next batch links.
 */
export function sealBatch(
  target: Buffer,
  start: number,
  content: BatchContent,
  place: BatchPlace,
): number {
  const bodyStart = start + batchHeaderLength;
  const bodyEnd = bodyStart + content.bodyLength;
  target.fill(0, bodyEnd, start + batchLength(content.bodyLength));
  target.writeUInt32LE(magic, start);
  target.writeUInt32LE(content.bodyLength, start + 8);
  target.writeUInt32LE(crc32(target.subarray(bodyStart, bodyEnd)), start + 12);
  target[start + 16] = version;
  target[start + 17] = 0;
  target.writeUInt16LE(place.rewritten ? attributeRewritten : 0, start + 18);
  target.writeUInt32LE(place.epoch, start + 20);
  writeOffset(target, content.baseOffset, start + 24);
  target.writeUInt32LE(content.nextOffset - content.baseOffset, start + 32);
  target.writeUInt32LE(content.recordCount, start + 36);
  target.writeUInt32LE(place.filePosition, start + 40);
  target.writeUInt32LE(place.durablePosition, start + 44);
  target.writeUInt32LE(place.previousChecksum, start + 48);
  target.writeUInt32LE(place.logTag, start + 52);
  target.writeDoubleLE(content.appendTime, start + 56);
  target.writeDoubleLE(content.maxTimestamp, start + 64);
  target.fill(0, start + 72, bodyStart);
  const checksum = crc32(target.subarray(start + 8, bodyStart));
  target.writeUInt32LE(checksum, start + 4);
  return checksum;
}

/** The header at `start`; null if there is no intact one. */
export function decodeBatchHeader(source: Buffer, start: number): BatchHeader | null {
  if (start + batchHeaderLength > source.length) return null;
  if (source.readUInt32LE(start) !== magic) return null;
  const headerChecksum = source.readUInt32LE(start + 4);
  if (crc32(source.subarray(start + 8, start + batchHeaderLength)) !== headerChecksum) return null;
  if (source[start + 16] !== version || source[start + 17] !== 0) return null;
  const bodyLength = source.readUInt32LE(start + 8);
  const baseOffset = readOffset(source, start + 24);
  const nextOffset = baseOffset + source.readUInt32LE(start + 32);
  if (bodyLength > bodyLengthMax || !Number.isSafeInteger(nextOffset)) return null;
  return {
    headerChecksum,
    bodyLength,
    bodyChecksum: source.readUInt32LE(start + 12),
    rewritten: (source.readUInt16LE(start + 18) & attributeRewritten) !== 0,
    epoch: source.readUInt32LE(start + 20),
    baseOffset,
    nextOffset,
    recordCount: source.readUInt32LE(start + 36),
    filePosition: source.readUInt32LE(start + 40),
    durablePosition: source.readUInt32LE(start + 44),
    previousChecksum: source.readUInt32LE(start + 48),
    logTag: source.readUInt32LE(start + 52),
    appendTime: source.readDoubleLE(start + 56),
    maxTimestamp: source.readDoubleLE(start + 64),
  };
}

/** Why the body at `bodyStart` is not the one that `header` describes; null if it is intact. */
export function bodyFault(source: Buffer, bodyStart: number, header: BatchHeader): string | null {
  const bodyEnd = bodyStart + header.bodyLength;
  const end = bodyStart - batchHeaderLength + batchLength(header.bodyLength);
  if (end > source.length) return 'the file ends inside a record batch';
  if (crc32(source.subarray(bodyStart, bodyEnd)) !== header.bodyChecksum) {
    return 'the checksum of a record batch does not hold';
  }
  for (let index = bodyEnd; index < end; index += 1) {
    if (source[index] !== 0) return 'the padding of a record batch is not zero';
  }
  return null;
}

/** A batch that is passed on, for example to another thread: see `RecordBatch.content`. */
export interface BatchBytes {
  readonly header: BatchHeader;
  /** The offsets to use: [baseOffset, nextOffset). */
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  /** The body of the whole batch, intact. */
  readonly body: Buffer;
}

/** The records of a batch that was passed on, oldest first. */
export function recordsOf({ header, baseOffset, nextOffset, body }: BatchBytes): StoredRecord[] {
  return decodeRecords(body, header.baseOffset, baseOffset, nextOffset);
}

/** A batch as read: the part of it that was asked for, oldest first (newest first if backwards). */
export interface RecordBatch {
  /** The records here have offsets in [baseOffset, nextOffset). */
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  /** When it was appended, ms, by the store's clock. */
  readonly timestamp: number;
  readonly epoch: number;
  /** Bytes of the whole batch on disk. */
  readonly byteLength: number;
  records(): readonly StoredRecord[];
  /** The batch in a form that can be passed on. */
  readonly content: BatchBytes;
  /** The record at `offset`; null if there is none here. */
  record(offset: Offset): StoredRecord | null;
}

/** The part of a batch, whose body is intact, that lies in [from, until). */
export class BatchView implements RecordBatch {
  readonly baseOffset: Offset;
  readonly nextOffset: Offset;
  private readonly looked: LookedThrough = { offset: 0, position: 0 };

  constructor(
    private readonly header: BatchHeader,
    private readonly body: Buffer,
    from: Offset,
    until: Offset,
    private readonly backwards: boolean,
  ) {
    this.baseOffset = Math.max(from, header.baseOffset);
    this.nextOffset = Math.min(until, header.nextOffset);
  }

  get timestamp(): number {
    return this.header.appendTime;
  }

  get epoch(): number {
    return this.header.epoch;
  }

  get byteLength(): number {
    return batchLength(this.header.bodyLength);
  }

  get content(): BatchBytes {
    const { header, body, baseOffset, nextOffset } = this;
    return { header, baseOffset, nextOffset, body };
  }

  records(): StoredRecord[] {
    const { body, header, baseOffset, nextOffset } = this;
    const records = decodeRecords(body, header.baseOffset, baseOffset, nextOffset);
    return this.backwards ? records.reverse() : records;
  }

  /** How many records are here: fewer than offsets if the log was compacted. */
  get recordCount(): number {
    return this.isDense ? this.nextOffset - this.baseOffset : this.offsets().length;
  }

  /** The first `count` records, in the direction of the read. */
  first(count: number): BatchView {
    const { header, body, baseOffset, nextOffset, backwards } = this;
    if (this.recordCount <= count) return this;
    if (backwards) {
      const from = this.isDense ? nextOffset - count : (this.offsets().at(-count) ?? baseOffset);
      return new BatchView(header, body, from, nextOffset, true);
    }
    const last = this.isDense ? baseOffset + count - 1 : (this.offsets()[count - 1] ?? nextOffset);
    return new BatchView(header, body, baseOffset, last + 1, false);
  }

  private get isDense(): boolean {
    const { baseOffset, nextOffset, recordCount } = this.header;
    return recordCount === nextOffset - baseOffset;
  }

  private offsets(): Offset[] {
    return recordOffsets(this.body, this.header.baseOffset).filter(
      (offset) => offset >= this.baseOffset && offset < this.nextOffset,
    );
  }

  record(offset: Offset): StoredRecord | null {
    const isHere = offset >= this.baseOffset && offset < this.nextOffset;
    return isHere ? findRecord(this.body, this.header.baseOffset, offset, this.looked) : null;
  }
}
