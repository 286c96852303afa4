/** What the owner of a data folder specifies to open a store there. */
import type { ChainOptions } from '../chain/log-chain.js';
import type { FsyncMode } from '../disk/fsync-mode.js';
import type { Timer } from '../disk/timer.js';
import type { DamagedData, StorageError } from '../faults/storage-errors.js';
import type { CommitStream } from '../log/commit-stream.js';

/** How a store is opened. Sizes are bytes; the defaults are for production, tests shrink them. */
export interface StoreOptions {
  /** Unix time in milliseconds. */
  now(): number;
  /** Makes the store's id. */
  randomBytes(length: number): Buffer;
  readonly fsync: FsyncMode;
  /** For looking at a folder that may be in use: takes no lock and writes nothing. */
  readonly readOnly?: boolean;
  /** Which logs a reader opens, by name; default: all. */
  readonly opens?: (logName: string) => boolean;
  /** Default: 64 MiB. */
  readonly segmentBytes?: number;
  /** Default: 64 MiB, kept to get out of a full disk; 0 keeps none. */
  readonly reserveBytes?: number;
  /** `hasRoom` is false below this; default: the larger of 1 GiB and 5 % of the file system. */
  readonly freeBytesMin?: number;
  /** How many offsets are leased at a time in the lazy modes; default: 100,000. */
  readonly leaseOffsets?: number;
  /** Keys that a compaction holds in memory: more keys, more passes. Default: 1,500,000, 48 MiB. */
  readonly compactionKeysMax?: number;
  /** Default: 4; keep it well below UV_THREADPOOL_SIZE. */
  readonly concurrentSyncs?: number;
  /**
   * Bytes of the write-ahead log for groups of many logs, which is made when several logs are first
   * synced at once. Default: 32 MiB, or half a segment if that is less; 0: never made.
   */
  readonly writeAheadBytes?: number;
  /** How many logs sync their own files at once before groups are written ahead. Default: 2. */
  readonly syncsApart?: number;
  /** How much of the records that are committed together one write takes. Default: 4 MiB. */
  readonly writtenBytesMax?: number;
  /** How many files stay open: segments that are read, and ends of logs. Default: 384. */
  readonly openFilesMax?: number;
  /** Bytes of edits before a new generation. Default: 1 MiB. */
  readonly manifestBytesMax?: number;
  /**
   * Which logs isolate damage, by name: only the damaged offsets cannot be read (`DamagedOffsets`).
   * Every other damaged log refuses to open; so does an isolating log if nothing says where it
   * ended.
   */
  readonly isolatesDamage?: (logName: string) => boolean;
  /** Called with damage that a log isolates, when it is found; also while the store is opened. */
  readonly onDamage?: (damage: DamagedData) => void;
  /**
   * Sealing and merging what crashes have left waits for `Store.beginUpkeep`, because a start has
   * other work for its processor. Default: it begins at once.
   */
  readonly upkeepWaits?: boolean;
  /** Which logs can be compared with digests kept elsewhere; default: none. */
  readonly chain?: ChainOptions;
  /** Where records become durable before they are in this folder; default: nowhere else. */
  readonly commits?: CommitStream;
  /** Called with its number of records when a group is written; the result once it is durable. */
  readonly onCommit?: (records: number) => () => void;
  /** Called when bytes or names begin to be made durable; the result is called when they are. */
  readonly onSync?: () => () => void;
  /** Timers that do not keep the process alive. */
  readonly after: Timer;
  /** A write or fdatasync failed: nothing more is accepted and the process must end. */
  onFailure(error: StorageError): void;
}
