/** Writes the file of one snapshot, part by part. */
import type { Disk, FileHandle } from '../disk/disk.js';
import { writeFully } from '../disk/whole-file.js';
import {
  encodePartHeader,
  encodeSnapshotHeader,
  firstChain,
  padded,
  partChecksum,
  type SnapshotHeader,
  snapshotHeaderLength,
} from './snapshot-format.js';
import type { SnapshotPart } from './snapshot-reader.js';

/** Data of at least this many bytes is written as it is, not copied behind its header. */
const ownWriteBytes = 64 * 1024;

/** Bytes between two syncs: a commit to a log waits until the disk has taken what is on its way. */
const syncEveryBytes = 1024 * 1024;

/** What is known of a snapshot before its parts are. */
export type SnapshotHead = Omit<SnapshotHeader, 'parts' | 'labelLength'>;

/** Used for one file, which is new and empty. Every method rejects like the disk. */
export class SnapshotWriter {
  private readonly label: Buffer;
  private chain: number;
  private number = 0;
  private position = snapshotHeaderLength;
  private unsynced = 0;

  constructor(
    private readonly disk: Disk,
    private readonly file: FileHandle,
    private readonly head: SnapshotHead,
    label: string,
  ) {
    this.label = Buffer.from(label);
    this.chain = firstChain(head.storeId, head.offset, this.label);
  }

  /** Writes all parts, and then the header, which makes the file a snapshot; returns its bytes. */
  async write(parts: AsyncIterable<SnapshotPart> | Iterable<SnapshotPart>): Promise<number> {
    const { disk, file, head, label } = this;
    await this.put(label);
    for await (const part of parts) await this.add(part);
    // The zeros behind the last part, too.
    await disk.truncate(file, this.position);
    const header = { ...head, parts: this.number, labelLength: label.length };
    await writeFully(disk, file, encodeSnapshotHeader(header), 0);
    await disk.sync(file);
    return this.position;
  }

  private async add({ name, data }: SnapshotPart): Promise<void> {
    const nameBytes = Buffer.from(name);
    const header = encodePartHeader({
      chain: this.chain,
      nameLength: nameBytes.length,
      dataLength: data.length,
      dataChecksum: partChecksum(nameBytes, data),
      number: this.number,
    });
    const isSmall = data.length < ownWriteBytes;
    await this.put(isSmall ? joined([header, nameBytes, data]) : joined([header, nameBytes]));
    if (!isSmall) await this.put(data);
    this.chain = header.readUInt32LE(4);
    this.number += 1;
  }

  /** Writes bytes; up to the next multiple of 8, where nothing is written, the file has zeros. */
  private async put(bytes: Buffer): Promise<void> {
    if (bytes.length > 0) await writeFully(this.disk, this.file, bytes, this.position);
    this.position += padded(bytes.length);
    this.unsynced += bytes.length;
    if (this.unsynced < syncEveryBytes) return;
    this.unsynced = 0;
    await this.disk.sync(this.file);
  }
}

/** Pieces in a row, each with zeros up to a multiple of 8. */
function joined(pieces: readonly Buffer[]): Buffer {
  const bytes = Buffer.alloc(pieces.reduce((length, piece) => length + padded(piece.length), 0));
  let at = 0;
  for (const piece of pieces) {
    piece.copy(bytes, at);
    at += padded(piece.length);
  }
  return bytes;
}
