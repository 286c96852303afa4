/** Reads a snapshot part by part; each part is checked before it is returned. */
import type { Disk, FileHandle } from '../disk/disk.js';
import { readInto, readUpTo } from '../disk/whole-file.js';
import {
  decodePartHeader,
  decodeSnapshotHeader,
  firstChain,
  padded,
  partChecksum,
  partHeaderLength,
  type SnapshotHeader,
  snapshotHeaderLength,
} from './snapshot-format.js';

/** One part; several may have the same name. */
export interface SnapshotPart {
  readonly name: string;
  /** If it was read: valid only until the next part is requested. */
  readonly data: Buffer;
}

/** A file whose header and label are intact. */
export interface OpenedSnapshot {
  readonly header: SnapshotHeader;
  readonly label: string;
  /** The checksum to which the first part links. */
  readonly chain: number;
}

const labelLengthMax = 64 * 1024;

/** Null if there is no snapshot of this version of the format. */
export async function openSnapshot(disk: Disk, file: FileHandle): Promise<OpenedSnapshot | null> {
  const header = decodeSnapshotHeader(await readUpTo(disk, file, 0, snapshotHeaderLength));
  if (header === null || header.labelLength > labelLengthMax) return null;
  const label = await readUpTo(disk, file, snapshotHeaderLength, header.labelLength);
  if (label.length !== header.labelLength) return null;
  const chain = firstChain(header.storeId, header.offset, label);
  return { header, label: label.toString(), chain };
}

/**
 * The parts in order; null if one is damaged or missing, and nothing after that. All of them use
 * the same memory, one after another.
 */
export async function* readParts(
  disk: Disk,
  file: FileHandle,
  { header: { parts, labelLength }, chain: firstLink }: OpenedSnapshot,
): AsyncGenerator<SnapshotPart | null> {
  const size = await disk.size(file);
  let space = Buffer.alloc(0);
  let chain = firstLink;
  let position = snapshotHeaderLength + padded(labelLength);
  for (let number = 0; number < parts; number += 1) {
    const header = decodePartHeader(await readUpTo(disk, file, position, partHeaderLength));
    const isNext = header?.chain === chain && header.number === number;
    if (!isNext) return yield null;
    const { nameLength, dataLength, dataChecksum, checksum } = header;
    const nameStart = position + partHeaderLength;
    const dataStart = nameStart + padded(nameLength);
    if (dataStart + dataLength > size) return yield null;
    const name = await readUpTo(disk, file, nameStart, nameLength);
    if (space.length < dataLength) space = Buffer.allocUnsafeSlow(Math.ceil(dataLength * 1.25));
    const data = await readInto(disk, file, dataStart, space.subarray(0, dataLength));
    if (partChecksum(name, data) !== dataChecksum) return yield null;
    yield { name: name.toString(), data };
    chain = checksum;
    position = dataStart + padded(dataLength);
  }
}
