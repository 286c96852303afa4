/**
 * Snapshots of what a user of the store remembers of one of its logs. They are a cache: damaged
 * snapshots, and those of another store or version, are skipped, and all may be deleted at any
 * time. Two are kept, and those that are being read. A file gets its name only when all of it is
 * durable.
 */
import { join } from 'node:path';
import type { StoreFiles } from '../disk/store-files.js';
import { withFile } from '../disk/whole-file.js';
import { diskError, errorCode } from '../faults/storage-errors.js';
import type { Offset } from '../offsets/offset.js';
import { openSnapshot, readParts, type SnapshotPart } from './snapshot-reader.js';
import { SnapshotWriter } from './snapshot-writer.js';

export type { SnapshotPart } from './snapshot-reader.js';

/** How many snapshots are kept. */
const keptMax = 2;

/** The store of the snapshots. */
interface SnapshotStore extends Pick<StoreFiles, 'disk' | 'directory'> {
  readonly storeId: Buffer;
  readonly now: () => number;
}

/** The identity of a snapshot. */
export interface SnapshotName {
  /** Everything below this offset is in the snapshot. */
  readonly offset: Offset;
  /** Identifies everything else that must be the same for its user to read it. */
  readonly label: string;
}

/** A snapshot that was read to its end once, and is intact. */
export interface FoundSnapshot {
  readonly offset: Offset;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly byteLength: number;
  /** Reads its parts again. */
  parts(): AsyncGenerator<SnapshotPart>;
}

/** A snapshot that cannot be used, and why. */
export interface SkippedSnapshot {
  readonly file: string;
  readonly reason: string;
}

/** All methods may be called during a read; only one caller at a time may write or remove. */
export class Snapshots {
  /** Offsets of the snapshots being read, once for each reader. */
  private readonly pinned: Offset[] = [];

  constructor(private readonly store: SnapshotStore) {}

  /** Keeps the snapshots at these offsets while later ones are written; the result ends that. */
  pin(offsets: readonly Offset[]): () => void {
    this.pinned.push(...offsets);
    return () => {
      for (const offset of offsets) this.pinned.splice(this.pinned.indexOf(offset), 1);
    };
  }

  /**
   * The latest snapshot with this label whose offset is at most `until`; null = there is none.
   * `skipped` is called with each later one that was skipped.
   */
  async latest(
    label: string,
    until: Offset,
    skipped: (snapshot: SkippedSnapshot) => void = () => undefined,
  ): Promise<FoundSnapshot | null> {
    for (const name of (await this.names()).reverse()) {
      const file = this.path(name);
      const reason = (reason: string) => skipped({ file, reason });
      const found = await this.check(file, label, until).catch((error: unknown) => String(error));
      if (typeof found !== 'string') return found;
      reason(found);
    }
    return null;
  }

  /**
   * Durably writes a snapshot, and removes older ones. Rejects like the disk, and writes none then:
   * nothing else depends on it, so the store continues.
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
      // The source of the parts may have failed, too.
      throw errorCode(error) === '' ? error : diskError('writing a snapshot', error);
    }
  }

  /**
   * Durably removes the snapshots whose offset is below `offset`. Rejects like the disk, also if it
   * does not say which there are.
   */
  async removeBefore(offset: Offset): Promise<void> {
    const names = await this.listed();
    await this.removeAll(names.filter((name) => offsetOf(name) < offset));
  }

  /** The offsets of all snapshots, in order. */
  async offsets(): Promise<Offset[]> {
    return (await this.names()).map(offsetOf);
  }

  /** The file names, in the order of their offsets; none if the disk does not say. */
  private names(): Promise<string[]> {
    return this.listed().catch(() => []);
  }

  /** The file names, in the order of their offsets; none if there is no folder. */
  private async listed(): Promise<string[]> {
    const { disk, directory } = this.store;
    const names = await disk.list(directory.snapshots).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
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

  /** The snapshot, or why it cannot be used. */
  private async check(file: string, label: string, until: Offset): Promise<FoundSnapshot | string> {
    const { disk, storeId } = this.store;
    return withFile(disk, file, 'read', async (handle) => {
      const opened = await openSnapshot(disk, handle);
      if (opened === null) return 'it is damaged, or of another version of the format';
      const { header, label: written } = opened;
      if (!header.storeId.equals(storeId)) return 'it is of another data folder';
      if (written !== label) return 'it was made by another version or with other settings';
      if (header.offset > until) return `the log ends at ${until}, before it`;
      // Reads it to the end first, so that nothing of a snapshot with later damage is loaded.
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
    const head = { storeId, offset, createdAt: now() };
    return withFile(disk, aside, 'create', (file) =>
      new SnapshotWriter(disk, file, head, label).write(parts),
    );
  }

  private path(name: string): string {
    return join(this.store.directory.snapshots, name);
  }
}

const namePattern = /^\d{20}\.snapshot$/;

function nameOf(offset: Offset): string {
  return `${String(offset).padStart(20, '0')}.snapshot`;
}

function offsetOf(name: string): Offset {
  return Number(name.slice(0, 20));
}
