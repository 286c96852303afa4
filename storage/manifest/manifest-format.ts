/** The bytes of the manifest: a header and a chained list of edits. */
import { crc32 } from 'node:zlib';
import { NewerFormat } from '../faults/storage-errors.js';
import { applyEdit, type ManifestEdit, type ManifestState } from './manifest.js';

/*
  Manifest => header (32 bytes), edits

  header =>
     0  magic           'SWMF'
     4  checksum        UINT32   crc32 of bytes 8 to 31
     8  version         UINT16   3 while a write-ahead log counts, 2 otherwise
    10  minimumVersion  UINT16   the same
    12  storeId         16 bytes
    28  generation      UINT32   rises whenever both copies are written anew

  edit =>
     0  length          UINT32   of the whole edit
     4  checksum        UINT32   crc32 of the bytes after this field
     8  previous        UINT32   checksum of the edit before; of the header at first
    12  JSON, UTF-8     the first edit is the whole state

  An edit is synced in the first copy before it is written to the second, and synced there before
  it takes effect. So a crash can tear the first copy's last edit only while the second copy has
  not begun it: anything else that does not parse is damage, and nothing is lost while one copy is
  intact. An edit that finds no room is cut off again, from the second copy before the first, so
  that a crash in between leaves nothing new.
*/
const magic = 0x464d5753;
/** The latest version that can be read. */
const version = 3;
/** The version written unless a write-ahead log counts, of which older programs do not know. */
const versionWithoutWal = 2;
const headerLength = 32;
const editHeaderLength = 12;
/** The name, within the store, of the copy to which edits are written first. */
export const firstCopy = 'MANIFEST';

/** The content of a manifest, and its store. */
export interface ManifestContent {
  readonly storeId: Buffer;
  readonly generation: number;
  readonly state: ManifestState;
}

/** The content of one copy: its intact edits, which end at `end`; the bytes behind do not parse. */
export interface ManifestCopy extends ManifestContent {
  readonly editCount: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/** The intact part of a copy; null if not even its first edit is intact. */
export function parseCopy(bytes: Buffer): ManifestCopy | null {
  if (bytes.length < headerLength || bytes.readUInt32LE(0) !== magic) return null;
  const checksum = bytes.readUInt32LE(4);
  if (checksum !== crc32(bytes.subarray(8, headerLength))) return null;
  if (bytes.readUInt16LE(10) > version) {
    throw new NewerFormat(`${firstCopy} has format ${bytes.readUInt16LE(10)}`);
  }
  let [state, editCount, end, previous]: [ManifestState | null, number, number, number] = [
    null,
    0,
    headerLength,
    checksum,
  ];
  while (end + editHeaderLength <= bytes.length) {
    const next = end + bytes.readUInt32LE(end);
    if (next < end + editHeaderLength || next > bytes.length) break;
    if (bytes.readUInt32LE(end + 8) !== previous) break;
    if (bytes.readUInt32LE(end + 4) !== crc32(bytes.subarray(end + 8, next))) break;
    const edit: ManifestEdit = JSON.parse(bytes.toString('utf8', end + editHeaderLength, next));
    if (state === null && edit.type !== 'state') return null;
    state = edit.type === 'state' ? edit.state : state === null ? null : applyEdit(state, edit);
    previous = bytes.readUInt32LE(end + 4);
    editCount += 1;
    end = next;
  }
  if (state === null) return null;
  const storeId = Buffer.from(bytes.subarray(12, 28));
  return { storeId, generation: bytes.readUInt32LE(28), state, editCount, end, bytes };
}

/** Encodes the header of a generation that begins with `state`. */
export function encodeHeader(
  storeId: Buffer,
  generation: number,
  { writesAhead = null }: ManifestState,
): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt32LE(magic, 0);
  const written = writesAhead === null ? versionWithoutWal : version;
  header.writeUInt16LE(written, 8);
  header.writeUInt16LE(written, 10);
  storeId.copy(header, 12, 0, 16);
  header.writeUInt32LE(generation, 28);
  header.writeUInt32LE(crc32(header.subarray(8)), 4);
  return header;
}

/** Encodes an edit that follows the edit, or the header, with checksum `previous`. */
export function encodeEdit(edit: ManifestEdit, previous: number): Buffer {
  const json = Buffer.from(JSON.stringify(edit));
  const bytes = Buffer.concat([Buffer.alloc(editHeaderLength), json]);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt32LE(previous, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}
