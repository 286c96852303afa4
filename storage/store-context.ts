/** What every log of one open store shares, and what becomes of its failures. */
import { LRUCache } from 'lru-cache';
import type { Disk, FileHandle } from './disk/disk.js';
import type { FreeSpace } from './disk/free-space.js';
import { OpenFiles } from './disk/open-files.js';
import type { StoreDirectory } from './disk/store-directory.js';
import { SyncSlots } from './disk/sync-slots.js';
import { Fence } from './faults/fence.js';
import {
  type DamagedData,
  DiskFull,
  isNoSpace,
  type StorageError,
} from './faults/storage-errors.js';
import type { RecordFinder } from './index/stored-index.js';
import { BufferPool } from './log/append-group.js';
import type { ManifestEdit } from './manifest/manifest.js';
import type { ManifestFile } from './manifest/manifest-file.js';
import type { Watermark } from './manifest/watermark-file.js';
import type { WatermarkKeeper } from './manifest/watermark-keeper.js';
import type { StoreOptions } from './store.js';

/** When an append counts as durable; storage/README.md has the exact promise of each. */
export type FsyncMode = 'strict' | { readonly intervalMs: number } | 'os';

/** Calls back once after a delay, and returns what cancels it. */
export type Timer = (delayMs: number, callback: () => void) => () => void;

export interface StoreContext {
  readonly disk: Disk;
  readonly directory: StoreDirectory;
  readonly storeId: Buffer;
  readonly epoch: number;
  readonly fsync: FsyncMode;
  readonly readOnly: boolean;
  /** A segment takes groups until it has this many bytes. */
  readonly segmentBytes: number;
  /** Offsets leased at a time in the lazy modes. */
  readonly leaseOffsets: number;
  /** Keys that one pass of a compaction holds in memory, at 32 bytes or so each. */
  readonly compactionKeysMax: number;
  readonly manifest: ManifestFile;
  readonly openFiles: OpenFiles;
  /** Indexes of sealed segments, by path. */
  readonly indexes: LRUCache<string, RecordFinder>;
  readonly buffers: BufferPool;
  readonly after: Timer;
  readonly fence: Fence;
  readonly freeSpace: FreeSpace;
  /** Null in a store that is only read. */
  movedLogs: WatermarkKeeper | null;
  now(): number;
  /** Whether the log of this name lives with damage: only the offsets in it cannot be read. */
  isolatesDamage(logName: string): boolean;
  /** Damage was found that a log lives with. */
  damaged(damage: DamagedData): void;
  /** A group of so many records goes to the disk; call the answer when it is there. */
  committing(records: number): () => void;
  /** fdatasync, of which only so many run at once; of a file that may be thrown away. */
  sync(file: FileHandle): Promise<void>;
  /** The same of a file that is relied on: a failure, whatever its code, fences the store. */
  mustSync(file: FileHandle): Promise<void>;
  /** fsync of a directory whose names are relied on: a failure fences the store. */
  mustSyncDirectory(path: string): Promise<void>;
  /**
   * Makes a manifest edit durable. Rejects with `DiskFull` where there is no room for it: it has
   * no effect then. Fences the store where it fails.
   */
  edit(edit: ManifestEdit): Promise<void>;
  /** A log's durable end has moved; its watermark is written soon. */
  moved(logId: number, mark: () => Watermark): void;
  /** What this library cannot go on after: fences the store; returns the typed error. */
  fail(doing: string, cause: unknown): StorageError;
  /** Whether something was not done for want of room, and the store can go on without it. */
  lacksRoom(error: unknown): boolean;
  /** There is no room until a look at the disk says so; returns the typed error. */
  outOfRoom(doing: string, cause: unknown): DiskFull;
}

/** What a context is made from. */
export interface ContextParts {
  readonly disk: Disk;
  readonly directory: StoreDirectory;
  readonly storeId: Buffer;
  readonly manifest: ManifestFile;
  readonly freeSpace: FreeSpace;
}

const megabyte = 1024 * 1024;
const nothing = () => undefined;

/** The context of a store that is being opened. */
export function contextOf(parts: ContextParts, options: StoreOptions): StoreContext {
  const { disk, manifest, freeSpace } = parts;
  const fence = new Fence();
  fence.closed.push((error) => options.onFailure(error));
  const slots = new SyncSlots(options.concurrentSyncs ?? 4);
  const sync = (file: FileHandle) =>
    slots.run(async () => {
      const synced = options.onSync?.();
      await disk.sync(file);
      synced?.();
    });
  const failed = (doing: string) => (error: unknown) => {
    throw fence.fail(doing, error);
  };
  const outOfRoom = (doing: string, cause: unknown) => {
    const error = cause instanceof DiskFull ? cause : new DiskFull(doing, cause);
    freeSpace.outOfRoom(error);
    return error;
  };
  return {
    ...parts,
    epoch: manifest.state.epoch,
    fsync: options.fsync,
    readOnly: options.readOnly ?? false,
    segmentBytes: options.segmentBytes ?? 64 * megabyte,
    leaseOffsets: options.leaseOffsets ?? 100_000,
    compactionKeysMax: options.compactionKeysMax ?? 1_500_000,
    openFiles: new OpenFiles(disk, options.openFilesMax ?? 256),
    indexes: new LRUCache<string, RecordFinder>({
      maxSize: 32 * megabyte,
      sizeCalculation: (index) => index.byteLength,
    }),
    buffers: new BufferPool(),
    after: options.after,
    fence,
    movedLogs: null,
    now: () => options.now(),
    isolatesDamage: options.isolatesDamage ?? (() => false),
    damaged: options.onDamage ?? nothing,
    committing: options.onCommit ?? (() => nothing),
    sync,
    mustSync: (file) => sync(file).catch(failed('fdatasync')),
    mustSyncDirectory: (path) => disk.syncDirectory(path).catch(failed(`fsync of ${path}`)),
    edit: (edit) =>
      makeEdit(parts, edit).catch((error: unknown) => {
        throw error instanceof DiskFull
          ? outOfRoom('', error)
          : fence.fail('writing the manifest', error);
      }),
    moved(logId, mark) {
      this.movedLogs?.moved(logId, mark);
    },
    fail: (doing, cause) => fence.fail(doing, cause),
    lacksRoom: (error) => fence.error === null && (error instanceof DiskFull || isNoSpace(error)),
    outOfRoom,
  };
}

/** An edit that frees more than it takes has the reserve, piece by piece. */
async function makeEdit({ manifest, freeSpace }: ContextParts, edit: ManifestEdit): Promise<void> {
  const freesRoom = edit.type === 'trimmed' || edit.type === 'logDropped';
  for (;;) {
    try {
      return await manifest.append(edit);
    } catch (error) {
      const isRoomMade = freesRoom && error instanceof DiskFull && (await freeSpace.spendPiece());
      if (!isRoomMade) throw error;
    }
  }
}
