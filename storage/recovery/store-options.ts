/** What the owner of a data folder says when a store is opened there. */
import type { ChainOptions } from '../chain/log-chain.js';
import type { FsyncMode } from '../disk/fsync-mode.js';
import type { Timer } from '../disk/timer.js';
import type { DamagedData, StorageError } from '../faults/storage-errors.js';
import type { CommitStream } from '../log/commit-stream.js';

/** How a store is opened. Sizes are bytes; the defaults are for production, tests shrink them. */
export interface StoreOptions {
  /** Unix time in milliseconds. */
  now(): number;
  /** The store's id comes from here. */
  randomBytes(length: number): Buffer;
  readonly fsync: FsyncMode;
  /** For looking at a folder that may be in use: no lock, nothing is written. */
  readonly readOnly?: boolean;
  /** Which logs a reader opens, by name; default: all of them. */
  readonly opens?: (logName: string) => boolean;
  /** 64 MiB. */
  readonly segmentBytes?: number;
  /** 64 MiB, kept to get out of a full disk; 0 keeps none. */
  readonly reserveBytes?: number;
  /** `hasRoom` is false below this; default: the larger of 1 GiB and 5 % of the file system. */
  readonly freeBytesMin?: number;
  /** 100,000 offsets at a time in the lazy modes. */
  readonly leaseOffsets?: number;
  /** 1,500,000 keys, 48 MiB, that a compaction holds in memory; what is more takes more passes. */
  readonly compactionKeysMax?: number;
  /** 4; keep it well below UV_THREADPOOL_SIZE. */
  readonly concurrentSyncs?: number;
  /**
   * 32 MiB, or half a segment where that is less: groups of many logs, made when several are first
   * synced at once; 0: never.
   */
  readonly writeAheadBytes?: number;
  /** 2: so many logs sync files of their own at the same time, before groups are written ahead. */
  readonly syncsApart?: number;
  /** 4 MiB: what one write takes of records that are committed together. */
  readonly writtenBytesMax?: number;
  /** 256 files of sealed segments. */
  readonly openFilesMax?: number;
  /** 1 MiB of edits. */
  readonly manifestBytesMax?: number;
  /**
   * Which logs isolate damage, by name: only the offsets in it cannot be read (`DamagedOffsets`).
   * Every other log refuses to open; so does one of these where nothing says where it ended.
   */
  readonly isolatesDamage?: (logName: string) => boolean;
  /** Called with damage that a log isolates, when it is found; also while the store is opened. */
  readonly onDamage?: (damage: DamagedData) => void;
  /**
   * Sealing and merging what crashes have left waits for `Store.beginUpkeep`: a start has other
   * work for its processor. Default: it begins at once.
   */
  readonly upkeepWaits?: boolean;
  /** Which logs can be held against digests that are kept elsewhere; default: none. */
  readonly chain?: ChainOptions;
  /** Where records become durable before they are in this folder; default: nowhere else. */
  readonly commits?: CommitStream;
  /** Called when a group of so many records is written; the result is called when it is durable. */
  readonly onCommit?: (records: number) => () => void;
  /** Called when bytes or names begin to be made durable; the result is called when they are. */
  readonly onSync?: () => () => void;
  /** Timers that keep no process alive. */
  readonly after: Timer;
  /** A write or fdatasync failed: nothing more is accepted and the process must end. */
  onFailure(error: StorageError): void;
}
