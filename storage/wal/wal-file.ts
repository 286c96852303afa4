/** The file of the write-ahead log: created when first needed, removed at a clean stop. */
import type { Disk, FileHandle } from '../disk/disk.js';
import type { FileSync } from '../disk/file-sync.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { aroundUnreadable } from '../disk/unreadable-pages.js';
import { readUpTo, withFile, writeFully } from '../disk/whole-file.js';
import { errorCode } from '../faults/storage-errors.js';
import {
  encodeEntry,
  entryHeaderLength,
  entryLength,
  partLength,
  readWal,
  type WalContents,
  type WalPart,
} from './wal-format.js';

/** Where the file is. */
export interface WalFolder {
  readonly disk: Disk;
  readonly directory: StoreDirectory;
}

/** Where the file is created and written. */
interface MakingFolder extends WalFolder {
  readonly fileSync: FileSync;
}

const chunkBytes = 1024 * 1024;

/** Writes entries; the caller waits for each before the next, and says what is no longer needed. */
export class WalFile {
  private generation = 1;
  /** A new file begins with an entry that has no groups. */
  private sequence = 1;
  /** The position within the half being written. */
  private position = entryHeaderLength;
  /** How many entries of the generation before still count. */
  private before = 0;
  /** How many of them the last entry says are still needed. */
  private stated = 0;
  private target = Buffer.allocUnsafeSlow(0);

  private constructor(
    private readonly folder: MakingFolder,
    private readonly file: FileHandle,
    private readonly halfBytes: number,
    private readonly id: Buffer,
  ) {}

  /**
   * Durably creates the file, with all its room. If that fails, at most one without groups is left.
   */
  static async make(folder: MakingFolder, bytes: number, id: Buffer): Promise<WalFile> {
    const { disk, directory, fileSync } = folder;
    const aside = directory.asideFile('wal');
    const halfBytes = (bytes / 2) & ~7;
    try {
      await withFile(disk, aside, 'create', async (file) => {
        const zeros = Buffer.alloc(Math.min(chunkBytes, halfBytes));
        for (let at = 0; at < halfBytes * 2; at += zeros.length) {
          const length = Math.min(zeros.length, halfBytes * 2 - at);
          await writeFully(disk, file, zeros.subarray(0, length), at);
        }
        const place = { generation: 1, sequence: 0, before: 0, halfLength: halfBytes };
        const first = encodeEntry(Buffer.alloc(entryHeaderLength), id, place, []);
        await writeFully(disk, file, first, 0);
        await fileSync.sync(file);
      });
      const opened = await disk.open(aside, 'synced');
      try {
        await disk.rename(aside, directory.wal);
        await fileSync.syncDirectory(directory.path);
        return new WalFile(folder, opened, halfBytes, id);
      } catch (error) {
        await disk.close(opened);
        throw error;
      }
    } catch (error) {
      await disk.remove(aside).catch(() => undefined);
      throw error;
    }
  }

  /** The generation being written: entries appended now count until two later ones begin. */
  get current(): number {
    return this.generation;
  }

  /** Whether the current half has room for an entry of this size, followed by an empty one. */
  hasRoom(bodyLength: number): boolean {
    return this.position + entryLength(bodyLength) + entryHeaderLength <= this.halfBytes;
  }

  /** Whether a half that has just begun has room for it. */
  canHold(bodyLength: number): boolean {
    return entryLength(bodyLength) + 2 * entryHeaderLength <= this.halfBytes;
  }

  /** Makes parts durable. `isClean`: nothing of the generation before is needed any more. */
  async append(parts: readonly WalPart[], isClean: boolean): Promise<void> {
    if (isClean) this.before = 0;
    const length = entryLength(parts.reduce((sum, { bytes }) => sum + partLength(bytes.length), 0));
    if (this.target.length < length) this.target = Buffer.allocUnsafeSlow(length * 2);
    const { generation, sequence, before, position, halfBytes } = this;
    const place = { generation, sequence, before, halfLength: halfBytes };
    const entry = encodeEntry(this.target, this.id, place, parts);
    const start = (generation % 2 === 1 ? 0 : halfBytes) + position;
    await this.folder.fileSync.mustWrite(this.file, entry, start);
    this.stated = before;
    this.position += entry.length;
    this.sequence += 1;
  }

  /**
   * Continues in the other half: nothing of the generation before the current one is needed. This
   * is recorded in the half that ends before the other one is written to.
   */
  async turn(): Promise<void> {
    if (this.stated > 0) await this.append([], true);
    this.before = this.sequence;
    this.generation += 1;
    this.sequence = 0;
    this.position = 0;
  }

  /** Closes the file, which stays. */
  close(): Promise<void> {
    return this.folder.disk.close(this.file);
  }
}

/** What counts in the file with this id that a crash has left; null if there is no file. */
export async function readWalFile(
  { disk, directory }: WalFolder,
  id: Buffer,
): Promise<WalContents | null> {
  try {
    return await withFile(disk, directory.wal, 'read', async (file) => {
      const half = Math.floor((await disk.size(file)) / 2);
      // Unreadable bytes are damage, like changed ones: each entry has its own checksums.
      const around = aroundUnreadable(disk, () => undefined);
      const halves = [
        await readUpTo(around, file, 0, half),
        await readUpTo(around, file, half, half),
      ];
      return readWal(halves, id);
    });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Removes the file, which no longer counts: after a power cut it may be there again. */
export async function removeWal({ disk, directory }: WalFolder): Promise<void> {
  try {
    await disk.remove(directory.wal);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
