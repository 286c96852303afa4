/**
 * Snapshots of what a user of the store remembers of one of its logs. They are a cache: one that is
 * damaged, of another store or of another version is passed over, and all of them may be deleted
 * at any time. Two are kept, and those that are being read; a file has its name only when all of it
 * is durable.
 */
import { join } from 'node:path';
import type { StoreFiles } from '../disk/store-files.js';
import { withFile, writeFully } from '../disk/whole-file.js';
import { diskError, errorCode } from '../faults/storage-errors.js';
import type { Offset } from '../offsets/offset.js';
import {
  encodePartHeader,
  encodeSnapshotHeader,
  firstChain,
  padded,
  partChecksum,
  snapshotHeaderLength,
} from './snapshot-format.js';
import { openSnapshot, readParts, type SnapshotPart } from './snapshot-reader.js';

export type { SnapshotPart } from './snapshot-reader.js';

/** How many of them there are at most. */
const keptMax = 2;

/** The store that they are of. */
interface SnapshotStore extends Pick<StoreFiles, 'disk' | 'directory'> {
  readonly storeId: Buffer;
  readonly now: () => number;
}

/** What a snapshot is of. */
export interface SnapshotName {
  /** What lies below it is in the snapshot. */
  readonly offset: Offset;
  /** Whatever else must be the same for its user to read it. */
  readonly label: string;
}

/** A snapshot that was read to its end once, and is whole. */
export interface FoundSnapshot {
  readonly offset: Offset;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly byteLength: number;
  /** Its parts, read again. */
  parts(): AsyncGenerator<SnapshotPart>;
}

/** One that is there and cannot be used, and why. */
export interface PassedOver {
  readonly file: string;
  readonly reason: string;
}

/**
 * All calls may be made while another one reads; writing and removing are for one caller at a time.
 */
export class Snapshots {
  /** Offsets of those that are being read, once for each reader. */
  private readonly pinned: Offset[] = [];

  constructor(private readonly store: SnapshotStore) {}

  /** Those at these offsets stay while later ones are written, until what it answers is called. */
  pin(offsets: readonly Offset[]): () => void {
    this.pinned.push(...offsets);
    return () => {
      for (const offset of offsets) this.pinned.splice(this.pinned.indexOf(offset), 1);
    };
  }

  /**
   * The latest with this label whose offset is at most `until`; null = there is none. `passedOver`
   * is called with each later one.
   */
  async latest(
    label: string,
    until: Offset,
    passedOver: (snapshot: PassedOver) => void = () => undefined,
  ): Promise<FoundSnapshot | null> {
    for (const name of (await this.names()).reverse()) {
      const file = this.path(name);
      const reason = (reason: string) => passedOver({ file, reason });
      const found = await this.check(file, label, until).catch((error: unknown) => String(error));
      if (typeof found !== 'string') return found;
      reason(found);
    }
    return null;
  }

  /**
   * Writes one, durably, and lets older ones go. Rejects as the disk does, and then there is none:
   * nothing else depends on it, so that the store goes on.
   */
  async write(
    { offset, label }: SnapshotName,
    parts: AsyncIterable<SnapshotPart> | Iterable<SnapshotPart>,
  ): Promise<{ readonly byteLength: number }> {
    const { disk, directory } = this.store;
    const name = nameOf(offset);
    const aside = directory.asideFile(`snapshot-${name}`);
    try {
      await disk.makeDirectory(directory.snapshots);
      await disk.syncDirectory(directory.path);
      await disk.remove(aside).catch(() => undefined);
      const byteLength = await this.writeAside(aside, { offset, label }, parts);
      await disk.rename(aside, this.path(name));
      await disk.syncDirectory(directory.snapshots);
      await this.keepLatest();
      return { byteLength };
    } catch (error) {
      await disk.remove(aside).catch(() => undefined);
      // What made the parts may have failed, too.
      throw errorCode(error) === '' ? error : diskError('writing a snapshot', error);
    }
  }

  /** Removes, durably, those that hold less than what lies below `offset`. */
  async removeBefore(offset: Offset): Promise<void> {
    const names = await this.names();
    await this.removeAll(names.filter((name) => offsetOf(name) < offset));
  }

  /** Those of the snapshots that are there, in their order. */
  async offsets(): Promise<Offset[]> {
    return (await this.names()).map(offsetOf);
  }

  /** In the order of their offsets. */
  private async names(): Promise<string[]> {
    const { disk, directory } = this.store;
    const names = await disk.list(directory.snapshots).catch(() => []);
    return names.filter((name) => namePattern.test(name));
  }

  private async keepLatest(): Promise<void> {
    const names = await this.names();
    const isFree = (name: string) => !this.pinned.includes(offsetOf(name));
    await this.removeAll(names.slice(0, -keptMax).filter(isFree));
  }

  private async removeAll(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const { disk, directory } = this.store;
    for (const name of names) await disk.remove(this.path(name));
    await disk.syncDirectory(directory.snapshots);
  }

  /** The snapshot, or why it is not to be used. */
  private async check(file: string, label: string, until: Offset): Promise<FoundSnapshot | string> {
    const { disk, storeId } = this.store;
    return withFile(disk, file, 'read', async (handle) => {
      const opened = await openSnapshot(disk, handle);
      if (opened === null) return 'it is damaged, or of another version of the format';
      const { header, label: written } = opened;
      if (!header.storeId.equals(storeId)) return 'it is of another data folder';
      if (written !== label) return 'it was made by another version or with other settings';
      if (header.offset > until) return `the log ends at ${until}, before it`;
      // Nothing is loaded of one that is damaged further on.
      for await (const part of readParts(disk, handle, opened)) {
        if (part === null) return 'it is damaged';
      }
      const { offset, createdAt } = header;
      const parts = () => this.parts(file);
      return { offset, createdAt, byteLength: await disk.size(handle), parts };
    });
  }

  private async *parts(file: string): AsyncGenerator<SnapshotPart> {
    const { disk } = this.store;
    const handle = await disk.open(file, 'read');
    try {
      const opened = await openSnapshot(disk, handle);
      if (opened === null) throw new Error(`${file} has changed while it was read`);
      for await (const part of readParts(disk, handle, opened)) {
        if (part === null) throw new Error(`${file} has changed while it was read`);
        yield part;
      }
    } finally {
      await disk.close(handle);
    }
  }

  private writeAside(
    aside: string,
    { offset, label }: SnapshotName,
    parts: AsyncIterable<SnapshotPart> | Iterable<SnapshotPart>,
  ): Promise<number> {
    const { disk, storeId, now } = this.store;
    return withFile(disk, aside, 'create', async (file) => {
      const labelBytes = Buffer.from(label);
      let chain = firstChain(storeId, offset, labelBytes);
      let number = 0;
      let position = snapshotHeaderLength;
      const put = async (...pieces: readonly Buffer[]) => {
        const bytes = Buffer.concat(pieces.flatMap((piece) => [piece, zerosBehind(piece)]));
        if (bytes.length > 0) await writeFully(disk, file, bytes, position);
        position += bytes.length;
      };
      await put(labelBytes);
      for await (const { name, data } of parts) {
        const nameBytes = Buffer.from(name);
        const header = encodePartHeader({
          chain,
          nameLength: nameBytes.length,
          dataLength: data.length,
          dataChecksum: partChecksum(nameBytes, data),
          number,
        });
        await put(header, nameBytes, data);
        chain = header.readUInt32LE(4);
        number += 1;
      }
      const labelLength = labelBytes.length;
      const header = { storeId, offset, createdAt: now(), parts: number, labelLength };
      await writeFully(disk, file, encodeSnapshotHeader(header), 0);
      await disk.sync(file);
      return position;
    });
  }

  private path(name: string): string {
    return join(this.store.directory.snapshots, name);
  }
}

function zerosBehind({ length }: Buffer): Buffer {
  return Buffer.alloc(padded(length) - length);
}

const namePattern = /^\d{20}\.snapshot$/;

function nameOf(offset: Offset): string {
  return `${String(offset).padStart(20, '0')}.snapshot`;
}

function offsetOf(name: string): Offset {
  return Number(name.slice(0, 20));
}
