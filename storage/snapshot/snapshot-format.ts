/** The bytes of a snapshot: what its user remembers of a log, in named parts. */
import { crc32 } from 'node:zlib';
import { type Offset, readOffset, writeOffset } from '../offsets/offset.js';

/*
  Snapshot => header (64 bytes), parts, end

  header =>
     0  magic         'SWSS'
     4  checksum      UINT32   crc32 of bytes 8 to 63
     8  version       UINT16   1
    10  6 zero bytes
    16  storeId       16 bytes
    32  offset        UINT64   everything below it is in the snapshot
    40  createdAt     FLOAT64
    48  parts         UINT32   how many there are
    52  labelLength   UINT32
    56  8 zero bytes

  label => UTF-8, zeros up to a multiple of 8; part of the chain below

  part => header (32 bytes), name, data, each with zeros up to a multiple of 8
     0  magic         'SWSP'
     4  checksum      UINT32   crc32 of bytes 8 to 31
     8  chain         UINT32   checksum of the part before; at first that of the header and label
    12  nameLength    UINT32
    16  dataLength    UINT64
    24  dataChecksum  UINT32   crc32 of name and data
    28  number        UINT32   from 0

  The number of parts is known only when the last is written: so the header is written last.
*/
/** Bytes of the header, which the label follows. */
export const snapshotHeaderLength = 64;
/** Bytes before the name of each part. */
export const partHeaderLength = 32;
const headerMagic = 0x53535753;
const partMagic = 0x50535753;
const version = 1;

/** The header of a snapshot. */
export interface SnapshotHeader {
  readonly storeId: Buffer;
  readonly offset: Offset;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly parts: number;
  readonly labelLength: number;
}

/** The header before a part. */
export interface PartHeader {
  readonly checksum: number;
  readonly chain: number;
  readonly nameLength: number;
  readonly dataLength: number;
  readonly dataChecksum: number;
  readonly number: number;
}

/** `length` rounded up to a multiple of 8, with zeros as padding. */
export function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** The first bytes of a snapshot, with their checksum. */
export function encodeSnapshotHeader(header: SnapshotHeader): Buffer {
  const bytes = Buffer.alloc(snapshotHeaderLength);
  bytes.writeUInt32LE(headerMagic, 0);
  bytes.writeUInt16LE(version, 8);
  header.storeId.copy(bytes, 16);
  writeOffset(bytes, header.offset, 32);
  bytes.writeDoubleLE(header.createdAt, 40);
  bytes.writeUInt32LE(header.parts, 48);
  bytes.writeUInt32LE(header.labelLength, 52);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** Null if there is no intact header of this version. */
export function decodeSnapshotHeader(bytes: Buffer): SnapshotHeader | null {
  if (bytes.length < snapshotHeaderLength || bytes.readUInt32LE(0) !== headerMagic) return null;
  if (crc32(bytes.subarray(8, snapshotHeaderLength)) !== bytes.readUInt32LE(4)) return null;
  if (bytes.readUInt16LE(8) !== version) return null;
  return {
    storeId: Buffer.from(bytes.subarray(16, 32)),
    offset: readOffset(bytes, 32),
    createdAt: bytes.readDoubleLE(40),
    parts: bytes.readUInt32LE(48),
    labelLength: bytes.readUInt32LE(52),
  };
}

/** The checksum to which the first part links: the number of parts is not known yet. */
export function firstChain(storeId: Buffer, offset: Offset, label: Buffer): number {
  return crc32(label, crc32(`${offset}`, crc32(storeId)));
}

/** The header before the name and the data of a part, with a checksum of its own. */
export function encodePartHeader(header: Omit<PartHeader, 'checksum'>): Buffer {
  const bytes = Buffer.alloc(partHeaderLength);
  bytes.writeUInt32LE(partMagic, 0);
  bytes.writeUInt32LE(header.chain, 8);
  bytes.writeUInt32LE(header.nameLength, 12);
  bytes.writeDoubleLE(header.dataLength, 16);
  bytes.writeUInt32LE(header.dataChecksum, 24);
  bytes.writeUInt32LE(header.number, 28);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** Null if there is no intact header. */
export function decodePartHeader(bytes: Buffer): PartHeader | null {
  if (bytes.length < partHeaderLength || bytes.readUInt32LE(0) !== partMagic) return null;
  const checksum = bytes.readUInt32LE(4);
  if (crc32(bytes.subarray(8, partHeaderLength)) !== checksum) return null;
  return {
    checksum,
    chain: bytes.readUInt32LE(8),
    nameLength: bytes.readUInt32LE(12),
    dataLength: bytes.readDoubleLE(16),
    dataChecksum: bytes.readUInt32LE(24),
    number: bytes.readUInt32LE(28),
  };
}

/** The checksum of a part; zlib returns 0 for empty data, whatever came before. */
export function partChecksum(name: Buffer, data: Buffer): number {
  return data.length === 0 ? crc32(name) : crc32(data, crc32(name));
}
