/** Makes a store of everything that can still be read in a damaged one, in a folder of its own. */
import { basename, dirname, join } from 'node:path';
import { emptyFolder, makeFolder, writeBeside } from '../backup/copied-folder.js';
import { CopyPlace } from '../backup/copy-place.js';
import type { Disk, FileHandle } from '../disk/disk.js';
import { lockForReading } from '../disk/lock-for-reading.js';
import { parseSegmentName, StoreDirectory } from '../disk/store-directory.js';
import { aroundUnreadable } from '../disk/unreadable-pages.js';
import { withFile, writeFully } from '../disk/whole-file.js';
import { DamagedData, DirectoryInUse, diskError, errorCode } from '../faults/storage-errors.js';
import { ManifestFile } from '../manifest/manifest-file.js';
import { WatermarkFile } from '../manifest/watermarks.js';
import { requireInFiles } from '../recovery/replay-wal.js';
import { openStore, type Store, type StoreOptions } from '../store.js';
import { verifyStore } from '../verify/verify-store.js';
import { isUnread, unreadBeside } from './damaged-file.js';
import { withGroups } from './groups-ahead.js';
import { groupsAhead, readableState } from './readable-state.js';
import type { KnownLogs, ReadableState } from './rebuilt-state.js';

/** The result of a salvage. */
export interface Salvaged {
  /** Hexadecimal. */
  readonly storeId: string;
  readonly epoch: number;
  readonly bytes: number;
  readonly logs: readonly { readonly name: string; readonly until: number }[];
  /** A description of everything that was found to be damaged. */
  readonly damages: readonly string[];
}

/** A store and the numbers of its damaged segments, by log name. */
export interface DamagedStore {
  readonly store: Store;
  readonly segments: ReadonlyMap<string, ReadonlySet<number>>;
}

/** How a folder is salvaged. */
export interface SalvageSettings {
  /** What is known of logs that nothing in the folder names. */
  readonly known: KnownLogs;
  /** Makes the logs whole: every damaged segment must be gone when it settles. */
  repair(damaged: DamagedStore): Promise<void>;
  /** Files to write beside the logs: their names and contents. */
  readonly names: readonly string[];
  make(salvaged: Salvaged): ReadonlyMap<string, Buffer>;
  onProgress?(doing: string): void;
}

const chunkBytes = 1024 * 1024;
/** The size of the part that a bad sector makes unreadable. */
const sectorBytes = 4096;

/**
 * Copies everything that can be read of the store in `from` to `to`, which must be empty or absent.
 * Nothing in `from` changes, and no server may use it meanwhile. The copy is made aside
 * (`CopyPlace`) until it is complete, verified and durable.
 *
 * Rejects with `DirectoryInUse`, `FolderNotEmpty`, `DamagedData` (no file shows to which store it
 * belongs), `NewerFormat`, `DiskFull` or `DiskFailure`; nothing is left in `to` then.
 */
export async function salvageFolder(
  disk: Disk,
  from: string,
  to: string,
  options: StoreOptions,
  settings: SalvageSettings,
): Promise<Salvaged> {
  const source = new StoreDirectory(from);
  const release = await lockOf(disk, source);
  if (release === null) throw new DirectoryInUse(from);
  let place: CopyPlace | null = null;
  try {
    place = await CopyPlace.make(disk, to, (folder) => emptySalvaged(disk, folder, settings.names));
    const { aside } = place;
    const salvaged = await new Salvage(disk, source, aside, options, settings).run();
    await writeBeside(disk, aside, settings.make(salvaged));
    await place.finish(settings.names);
    return salvaged;
  } catch (error) {
    await place?.abandon().catch(() => undefined);
    throw diskError(`exporting ${from}`, error);
  } finally {
    await release();
  }
}

/** Keeps servers away; null if one is using the folder. */
async function lockOf(disk: Disk, source: StoreDirectory): Promise<(() => Promise<void>) | null> {
  try {
    return await lockForReading(disk, source.lock);
  } catch (error) {
    throw diskError(`opening ${source.path}`, error);
  }
}

/** Also removes what an open store leaves: the store was opened in it for a while. */
async function emptySalvaged(disk: Disk, directory: StoreDirectory, names: readonly string[]) {
  await emptyQuarantine(disk, directory);
  await emptyFolder(disk, directory, [...names, basename(directory.lock)]);
}

async function emptyQuarantine(disk: Disk, { path, quarantine }: StoreDirectory): Promise<void> {
  if (!(await disk.list(path)).includes(basename(quarantine))) return;
  for (const name of await disk.list(quarantine)) await disk.remove(join(quarantine, name));
  await disk.removeDirectory(quarantine);
}

class Salvage {
  private readonly damages: string[] = [];
  /** For code that verifies everything that it reads. */
  private around: Disk;
  /** For files that are copied unchanged. */
  private reading: Disk;

  constructor(
    private readonly disk: Disk,
    private readonly source: StoreDirectory,
    private readonly target: StoreDirectory,
    private readonly options: StoreOptions,
    private readonly settings: SalvageSettings,
  ) {
    this.around = aroundUnreadable(disk, () => undefined);
    this.reading = disk;
  }

  async run(): Promise<Salvaged> {
    const { disk, source, target, settings } = this;
    await this.tellUnread();
    const groups = await groupsAhead(this.around, source);
    this.around = withGroups(this.around, source, groups);
    this.reading = withGroups(disk, source, groups);
    const readable = await readableState(this.around, source, settings.known);
    this.damages.push(...readable.problems, ...(await unreadBeside(disk, source, readable.state)));
    await makeFolder(disk, target);
    settings.onProgress?.('copying');
    await this.copyFiles(readable);
    await this.tellOfGroups(readable);
    await this.writeManifest(readable);
    settings.onProgress?.('verifying');
    const reading = { ...this.options, readOnly: true, isolatesDamage: () => true };
    const found = await verifyStore(disk, target.path, reading);
    for (const { message } of found.damages) this.tell(message);
    const segments = new Map(
      readable.state.logs.map(({ id, name }) => [name, this.numbersOf(id, found.damages)]),
    );
    for (const { file } of found.damages.map(({ range }) => range)) {
      if (file.endsWith('.index')) await disk.remove(file).catch(() => undefined);
    }
    settings.onProgress?.('repairing');
    const store = await openStore(disk, target.path, {
      ...this.options,
      readOnly: false,
      reserveBytes: 0,
      freeBytesMin: 0,
      isolatesDamage: () => true,
    });
    try {
      await settings.repair({ store, segments });
    } finally {
      await store.close();
    }
    return this.proven(readable);
  }

  /** Verifies that nothing is damaged any more, by everything that is known of the new store. */
  private async proven({ storeId, state }: ReadableState): Promise<Salvaged> {
    const { disk, target } = this;
    await emptyQuarantine(disk, target);
    await disk.remove(target.lock);
    const { logs, damages } = await verifyStore(disk, target.path, {
      ...this.options,
      readOnly: true,
    });
    const [damage] = damages;
    if (damage !== undefined) throw damage;
    return {
      storeId: storeId.toString('hex'),
      epoch: state.epoch,
      bytes: logs.reduce((sum, { bytes }) => sum + bytes, 0),
      logs: logs.map(({ name, endOffset }) => ({ name, until: endOffset })),
      damages: this.damages,
    };
  }

  private tell(message: string): void {
    this.damages.push(message.replaceAll(join(this.target.path, '/'), ''));
  }

  /** The segments of a log that are damaged, or whose index is. */
  private numbersOf(logId: number, damages: readonly DamagedData[]): ReadonlySet<number> {
    const folder = this.target.log(logId);
    const files = damages.map(({ range }) => range.file);
    const names = files.filter((file) => dirname(file) === folder).map((file) => basename(file));
    const numbers = names.map((name) => parseSegmentName(name)?.number);
    return new Set(numbers.filter((number) => number !== undefined));
  }

  private async copyFiles({ state }: ReadableState): Promise<void> {
    const { disk, source, target } = this;
    for (const { id, segments } of state.logs) {
      await disk.makeDirectory(target.log(id));
      for (const { number } of segments) {
        await this.copyFile(source.segment(id, number), target.segment(id, number));
        await this.copyFile(source.index(id, number), target.index(id, number));
      }
      await disk.syncDirectory(target.log(id));
    }
    await disk.syncDirectory(target.logs);
  }

  /** For files outside of logs; unreadable parts are found when the files are copied. */
  private async tellUnread(): Promise<void> {
    const { disk, source } = this;
    for (const file of [source.manifest(0), source.manifest(1), source.watermarks, source.wal]) {
      if (!(await isUnread(disk, file))) continue;
      this.damages.push(`${basename(file)}: the disk does not read it, or not all of it`);
    }
  }

  /** Also copies groups that exist only in the write-ahead log, as far as it can be read. */
  private async tellOfGroups({ state }: ReadableState): Promise<void> {
    const { around, source } = this;
    try {
      await requireInFiles({ disk: around, directory: source }, state);
    } catch (error) {
      // The export already lists it as a file that cannot be opened.
      if (errorCode(error) === 'EIO') return;
      if (!(error instanceof DamagedData)) throw error;
      this.damages.push(error.message.replaceAll(join(source.path, '/'), ''));
    }
  }

  /** Leaves out a file that is gone or cannot be opened; unreadable parts become zeros. */
  private async copyFile(from: string, to: string): Promise<void> {
    const { disk, reading } = this;
    const file = await reading.open(from, 'read').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      if (errorCode(error) !== 'EIO') throw error;
      this.damages.push(`${from}: the disk does not open the file`);
      return null;
    });
    if (file === null) return;
    try {
      const length = await reading.size(file);
      await withFile(disk, to, 'create', async (copy) => {
        for (let at = 0; at < length; at += chunkBytes) {
          const bytes = await this.readable(file, at, Math.min(chunkBytes, length - at), from);
          await writeFully(disk, copy, bytes, at);
        }
        await disk.sync(copy);
      });
    } finally {
      await reading.close(file);
    }
  }

  private async readable(
    file: FileHandle,
    position: number,
    length: number,
    path: string,
  ): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    const fill = async (from: number, until: number): Promise<void> => {
      for (let at = from; at < until; ) {
        const read = await this.reading.read(file, bytes.subarray(at, until), position + at);
        if (read === 0) return;
        at += read;
      }
    };
    try {
      await fill(0, length);
    } catch (error) {
      if (errorCode(error) !== 'EIO') throw error;
      for (let at = 0; at < length; at += sectorBytes) {
        await fill(at, Math.min(at + sectorBytes, length)).catch((unreadable: unknown) => {
          if (errorCode(unreadable) !== 'EIO') throw unreadable;
          this.damages.push(`${path}: the disk does not read the bytes at ${position + at}`);
        });
      }
    }
    return bytes;
  }

  private async writeManifest({ storeId, generation, state }: ReadableState): Promise<void> {
    const { disk, target } = this;
    const content = { storeId, generation, state: { ...state, writesAhead: null } };
    await withFile(disk, target.watermarks, 'create', (file) =>
      new WatermarkFile(disk, file).sync(),
    );
    const manifest = new ManifestFile(disk, target, content);
    await manifest.beginGeneration();
    await manifest.close();
  }
}
