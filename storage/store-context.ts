/** What every log of one open store shares. */
import type { LRUCache } from 'lru-cache';
import type { BufferPool } from './append-group.js';
import type { Disk } from './disk.js';
import type { Fence } from './fence.js';
import type { FreeSpace } from './free-space.js';
import type { StoreDirectory } from './log-directory.js';
import type { ManifestEdit } from './manifest.js';
import type { ManifestFile } from './manifest-file.js';
import type { OpenFiles } from './open-files.js';
import type { StorageError } from './storage-errors.js';
import type { RecordFinder } from './stored-index.js';
import type { Watermark } from './watermark-file.js';
import type { WatermarkKeeper } from './watermark-keeper.js';

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
  /** Null in a store that is only read. */
  movedLogs: WatermarkKeeper | null;
  freeSpace: FreeSpace | null;
  now(): number;
  /** A group of so many records goes to the disk; call the answer when it is there. */
  committing(records: number): () => void;
  /** fdatasync, of which only so many run at once. */
  sync(file: number): Promise<void>;
  /** Makes a manifest edit durable; fences the store if it cannot. */
  edit(edit: ManifestEdit): Promise<void>;
  /** A log's durable end has moved; its watermark is written soon. */
  moved(logId: number, mark: () => Watermark): void;
  /** Looks at the free space again. */
  rolled(): void;
  /** What this library cannot go on after: fences the store; returns the typed error. */
  fail(doing: string, cause: unknown): StorageError;
}
