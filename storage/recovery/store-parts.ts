/** Makes the shared parts of one open store from its options; each part uses what it needs. */
import { chainWork } from '../chain/chain-work.js';
import type { ChainOptions } from '../chain/log-chain.js';
import type { Disk } from '../disk/disk.js';
import { FileSync } from '../disk/file-sync.js';
import type { FreeSpace } from '../disk/free-space.js';
import { OpenFiles } from '../disk/open-files.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { Fence } from '../faults/fence.js';
import { newIndexCache } from '../index/index-cache.js';
import { AppendTimes } from '../log/append-group.js';
import { BufferPool } from '../log/group-part.js';
import type { LogStore } from '../log/log-store.js';
import type { ManifestFile } from '../manifest/manifest-file.js';
import { ManifestKeeper } from '../manifest/manifest-keeper.js';
import { LongBatches } from '../segment/long-batches.js';
import { WriteAhead } from '../wal/write-ahead.js';
import type { StoreOptions } from './store-options.js';

/** Without watermarks, which are kept once the logs are recovered, and by a writer only. */
export type StoreParts = Omit<LogStore, 'watermarks'>;

/** A data folder that is being opened. */
export interface OpeningFolder {
  readonly disk: Disk;
  readonly directory: StoreDirectory;
  readonly storeId: Buffer;
  readonly manifest: ManifestFile;
  readonly freeSpace: FreeSpace;
}

const megabyte = 1024 * 1024;
const nothing = () => undefined;

/** Makes the parts of a store; a failure of any of them fences it and calls `onFailure`. */
export function storeParts(folder: OpeningFolder, options: StoreOptions): StoreParts {
  const { disk, directory, storeId, manifest, freeSpace } = folder;
  const { concurrentSyncs = 4, onSync } = options;
  const fence = new Fence();
  fence.closed.push((error) => options.onFailure(error));
  const fileSync = new FileSync(disk, fence, { concurrentSyncs, onSync });
  const keeper = new ManifestKeeper(manifest, freeSpace, fence, fileSync);
  const segmentBytes = options.segmentBytes ?? 64 * megabyte;
  const ahead = {
    bytes: options.writeAheadBytes ?? Math.min(32 * megabyte, segmentBytes / 2),
    syncsApart: options.syncsApart ?? 2,
  };
  const { after } = options;
  const chains = chainsOf(disk, options.chain);
  const parts = { disk, directory, storeId, fileSync, freeSpace, fence, manifest: keeper, after };
  return {
    ...parts,
    openFiles: new OpenFiles(disk, options.openFilesMax ?? 384),
    writeAhead: new WriteAhead({ ...parts, randomBytes: options.randomBytes }, ahead),
    indexes: newIndexCache(),
    longBatches: new LongBatches(),
    buffers: new BufferPool(options.writtenBytesMax),
    commits: options.commits ?? null,
    appendTimes: new AppendTimes(options.now),
    epoch: manifest.state.epoch,
    now: options.now,
    fsync: options.fsync,
    readOnly: options.readOnly ?? false,
    segmentBytes,
    leaseOffsets: options.leaseOffsets ?? 100_000,
    compactionKeysMax: options.compactionKeysMax ?? 1_500_000,
    isolatesDamage: options.isolatesDamage ?? (() => false),
    damaged: options.onDamage ?? nothing,
    committing: options.onCommit ?? (() => nothing),
    chains,
    digests: chains.work,
  };
}

function chainsOf(disk: Disk, given: ChainOptions | undefined): Required<ChainOptions> {
  const none = { covers: () => false, work: chainWork(disk), onHead: nothing, onFault: nothing };
  return given === undefined ? none : { ...none, ...given };
}
