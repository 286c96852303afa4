/** The file beside a segment for removed records: digests of parts of their tries. */
import { crc32 } from 'node:zlib';
import type { Disk } from '../disk/disk.js';
import { readWhole } from '../disk/whole-file.js';
import { errorCode } from '../faults/storage-errors.js';
import { readOffset, writeOffset } from '../offsets/offset.js';
import { digestLength, TrieParts } from './record-trie.js';

/*
  <number>.pruned =>
     0  magic      'SWPR'
     4  checksum   UINT32   crc32 of the bytes behind it
     8  version    UINT16   1
    10  reserved   6 bytes of zero
    16  parts      48 bytes each, in order: at UINT64, span UINT64, digest 32 bytes

  It exists only if a segment has fewer records than those that it replaces.
*/
const magic = 0x52505753;
const version = 1;
const headerLength = 16;
const partLength = 16 + digestLength;

/** Encodes these parts as a file. */
export function encodePruned(parts: TrieParts): Buffer {
  const bytes = Buffer.alloc(headerLength + parts.count * partLength);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt16LE(version, 8);
  for (let index = 0; index < parts.count; index += 1) {
    const at = headerLength + index * partLength;
    writeOffset(bytes, parts.at(index), at);
    writeOffset(bytes, parts.span(index), at + 8);
    bytes.write(parts.digest(index), at + 16, 'latin1');
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** The parts in a file; null if it is not intact. */
function decodePruned(bytes: Buffer): TrieParts | null {
  if (bytes.length < headerLength || bytes.readUInt32LE(0) !== magic) return null;
  if (bytes.readUInt32LE(4) !== crc32(bytes.subarray(8))) return null;
  if (bytes.readUInt16LE(8) !== version) return null;
  const parts = new TrieParts();
  for (let at = headerLength; at + partLength <= bytes.length; at += partLength) {
    const digest = bytes.toString('latin1', at + 16, at + partLength);
    parts.push(readOffset(bytes, at), readOffset(bytes, at + 8), digest);
  }
  return parts;
}

/** The parts beside a segment: none if there is no file. Rejects if the file is not intact. */
export async function readPruned(disk: Disk, path: string): Promise<TrieParts> {
  const bytes = await readWhole(disk, path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null) return new TrieParts();
  const parts = decodePruned(bytes);
  if (parts === null) throw new Error(`${path} is not intact`);
  return parts;
}
