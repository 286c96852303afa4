/** From a path to everything an open store needs: lock, manifest, recovery, in the right order. */
import { dirname } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { FreeSpace } from '../disk/free-space.js';
import { inParallel } from '../disk/in-parallel.js';
import { StoreDirectory } from '../disk/store-directory.js';
import { withFile, writeFully } from '../disk/whole-file.js';
import { DamagedData, DirectoryInUse, diskError, errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { LogStore } from '../log/log-store.js';
import { emptyManifest, type ManifestState } from '../manifest/manifest.js';
import { type LoadedManifest, loadManifest, ManifestFile } from '../manifest/manifest-file.js';
import { WatermarkFile, WatermarkKeeper } from '../manifest/watermarks.js';
import { removeWal } from '../wal/wal-file.js';
import { FolderWatch } from './folder-watch.js';
import { recoverLog } from './log-recovery.js';
import type { RecoveredLog, RecoveringStore, StoreReport } from './recovered-log.js';
import { replayWal, requireInFiles } from './replay-wal.js';
import type { StoreOptions } from './store-options.js';
import { type StoreParts, storeParts } from './store-parts.js';
import { clearStrayFiles, emptyAside, listLogs, refuseUnlistedData } from './stray-files.js';

const megabyte = 1024 * 1024;
/** How many logs are opened at the same time: each then holds a file or two open. */
const logsAtOnce = 32;

/** The parts of an open store. */
export interface OpenedDirectory {
  readonly store: LogStore;
  readonly logs: readonly RecoveredLog[];
  readonly report: StoreReport;
  /** Releases the lock; does nothing for a reader. */
  release(): Promise<void>;
}

/** Opens a folder for its one writer, or for a reader beside it. See `openStore` for the errors. */
export async function openDirectory(
  disk: Disk,
  path: string,
  options: StoreOptions,
): Promise<OpenedDirectory> {
  const directory = new StoreDirectory(path);
  if (options.readOnly === true) return openForReading(disk, directory, options);
  const release = await lockDirectory(disk, directory);
  try {
    const opened = await openForWriting(disk, directory, options, release);
    // Whether there is room must be known before anything is accepted.
    await opened.store.freeSpace.start();
    return opened;
  } catch (error) {
    await release();
    throw diskError(`opening ${path}`, error);
  }
}

async function lockDirectory(disk: Disk, directory: StoreDirectory): Promise<() => Promise<void>> {
  try {
    await disk.makeDirectory(directory.path);
    await disk.syncDirectory(dirname(directory.path));
    const release = await disk.lock(directory.lock);
    if (release !== null) return release;
  } catch (error) {
    throw diskError(`opening ${directory.path}`, error);
  }
  throw new DirectoryInUse(directory.path);
}

async function openForWriting(
  disk: Disk,
  directory: StoreDirectory,
  options: StoreOptions,
  release: () => Promise<void>,
): Promise<OpenedDirectory> {
  const { after, randomBytes } = options;
  const folder = new FolderWatch(disk, directory);
  const freeSpace = new FreeSpace(disk, directory, {
    look: () => folder.look(),
    reserveBytes: options.reserveBytes ?? 64 * megabyte,
    freeBytesMin: options.freeBytesMin,
    after,
    randomBytes,
  });
  await freeSpace.spendReserveIfFull();
  const loaded = await loadManifest(disk, directory);
  if (loaded === null) await refuseLostManifest(disk, directory);
  for (const part of [directory.logs, directory.aside, directory.quarantine]) {
    await disk.makeDirectory(part);
    await disk.syncDirectory(part);
  }
  const storeId = loaded?.storeId ?? options.randomBytes(16);
  const before = loaded?.state ?? emptyManifest;
  const manifest = new ManifestFile(
    disk,
    directory,
    {
      storeId,
      generation: loaded?.generation ?? 0,
      state: { ...before, epoch: before.epoch + 1, closed: null },
    },
    options.manifestBytesMax ?? megabyte,
  );
  const store = storeParts({ disk, directory, storeId, manifest, freeSpace }, options);
  folder.lost = (error) => void store.fence.fail('looking at the folder', error);
  await emptyAside(store);
  if (loaded === null) return openNew(store, manifest, options, release);
  const listed = await listLogs(store);
  await refuseUnlistedData(store, before, listed);
  // Removes the clean marker before anything is read: a crash from here on counts as a crash.
  await manifest.beginGeneration();
  const watermarks = new WatermarkFile(disk, await openOrCreate(disk, directory.watermarks));
  await disk.syncDirectory(directory.path);
  // Cleared before, so that recovery finds its new names free, and after, to remove what it gave
  // up.
  await clearStrayFiles(store, before, listed);
  await replayWal(store, before, watermarks);
  const logs = await recoverLogs(store, watermarks, loaded);
  await vouchFor(logs, watermarks, store);
  await dropWal(store, manifest);
  await keepTornEdit(store, loaded);
  await clearStrayFiles(
    store,
    manifest.state,
    await listLogs(store, changedLogs(before, manifest.state)),
  );
  manifest.state = { ...manifest.state, dropped: [] };
  const keeper = keeperOf(watermarks, store, options);
  return opened({ ...store, watermarks: keeper }, logs, before.closed !== null, release);
}

async function openNew(
  store: StoreParts,
  manifest: ManifestFile,
  options: StoreOptions,
  release: () => Promise<void>,
): Promise<OpenedDirectory> {
  const { disk, directory } = store;
  const file = await openOrCreate(disk, directory.watermarks);
  await disk.syncDirectory(directory.path);
  await manifest.beginGeneration();
  const keeper = keeperOf(new WatermarkFile(disk, file), store, options);
  return opened({ ...store, watermarks: keeper }, [], true, release);
}

/** Watermarks only ever add proof: a start without the file continues with a new one. */
async function openOrCreate(disk: Disk, path: string): Promise<number> {
  try {
    return await disk.open(path, 'create');
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return disk.open(path, 'write');
  }
}

/** Everything in it is durably in the files of the segments, so it is no longer needed. */
async function dropWal(folder: StoreParts, manifest: ManifestFile): Promise<void> {
  await manifest.writesAhead(null);
  await removeWal(folder);
}

/** Logs without a manifest: it was lost, and no new store may be made over them. */
async function refuseLostManifest(disk: Disk, directory: StoreDirectory): Promise<void> {
  const names = await disk.list(directory.path);
  if (!names.includes('logs') || (await disk.list(directory.logs)).length === 0) return;
  throw new DamagedData(
    { file: directory.manifest(0), from: 0, to: 0, lastGoodOffset: null },
    'it is missing but there are logs',
  );
}

async function recoverLogs(
  store: RecoveringStore,
  watermarks: WatermarkFile | null,
  { state, storeId }: LoadedManifest,
): Promise<RecoveredLog[]> {
  const wasClean = state.closed !== null;
  const closedById = new Map(state.closed?.map((closed) => [closed.id, closed]));
  const recoverAll = () =>
    inParallel(state.logs, logsAtOnce, async (log) => {
      const watermark = (await watermarks?.read(log.id, logTagOf(storeId, log.id))) ?? null;
      const closed = closedById.get(log.id) ?? null;
      return recoverLog(store, log, { watermark, closed, wasClean });
    });
  return watermarks?.readingAll(state.logs.length, recoverAll) ?? recoverAll();
}

/**
 * Writes watermarks for rewritten records. They are durable, but without a watermark a later start
 * would take them for the remains of a torn write, until the log is written to again.
 */
async function vouchFor(
  logs: readonly RecoveredLog[],
  watermarks: WatermarkFile,
  { epoch }: StoreParts,
): Promise<void> {
  const rewritten = logs.filter(({ report }) => report.rewrittenBytes > 0);
  for (const { log, logTag, growing, nextOffset } of rewritten) {
    if (growing === null) continue;
    const place = { segment: growing.number, durablePosition: growing.end };
    const until = { durableOffset: nextOffset, acknowledged: nextOffset };
    await watermarks.write(log.id, { ...place, ...until, epoch, logTag });
  }
  if (rewritten.length > 0) await watermarks.sync();
}

/** The logs that recovery has changed: edits leave all others the same objects. */
function changedLogs(before: ManifestState, after: ManifestState): number[] {
  const untouched = new Set(before.logs);
  return after.logs.filter((log) => !untouched.has(log)).map(({ id }) => id);
}

async function keepTornEdit(store: StoreParts, { torn }: LoadedManifest): Promise<void> {
  if (torn.every((byte) => byte === 0)) return;
  const { disk, directory, epoch } = store;
  await withFile(disk, directory.quarantined(epoch, 'manifest-edit'), 'create', async (file) => {
    await writeFully(disk, file, torn, 0);
    await disk.sync(file);
  });
  await disk.syncDirectory(directory.quarantine);
}

/** A reader's view beside a running server: the manifest of this moment, and no lock. */
export async function contextForReading(
  disk: Disk,
  directory: StoreDirectory,
  options: StoreOptions,
): Promise<{ readonly store: StoreParts; readonly loaded: LoadedManifest }> {
  const loaded = await loadManifest(disk, directory);
  if (loaded === null) {
    await refuseLostManifest(disk, directory);
    throw diskError('opening for reading', new Error(`no store in ${directory.path}`));
  }
  const { storeId } = loaded;
  const manifest = new ManifestFile(disk, directory, loaded);
  const freeSpace = new FreeSpace(disk, directory, {
    reserveBytes: 0,
    freeBytesMin: 0,
    after: options.after,
    randomBytes: options.randomBytes,
  });
  return { store: storeParts({ disk, directory, storeId, manifest, freeSpace }, options), loaded };
}

async function openForReading(
  disk: Disk,
  directory: StoreDirectory,
  options: StoreOptions,
): Promise<OpenedDirectory> {
  const { store, loaded } = await contextForReading(disk, directory, options);
  const file = await disk.open(directory.watermarks, 'read').catch(() => null);
  const watermarks = file === null ? null : new WatermarkFile(disk, file);
  try {
    const { opens = () => true } = options;
    const listed = loaded.state.logs.filter(({ name }) => opens(name));
    const state = { ...loaded.state, logs: listed };
    await requireInFiles(store, state);
    const logs = await recoverLogs(store, watermarks, { ...loaded, state });
    const release = async () => undefined;
    return opened({ ...store, watermarks: null }, logs, loaded.state.closed !== null, release);
  } finally {
    if (file !== null) await disk.close(file);
  }
}

/** Writes the watermarks from here on; a watermark that cannot be written ends the store. */
function keeperOf(
  file: WatermarkFile,
  { fence, now }: StoreParts,
  { after }: StoreOptions,
): WatermarkKeeper {
  return new WatermarkKeeper(file, after, now, (error) => {
    fence.fail('writing a watermark', error);
  });
}

function opened(
  store: LogStore,
  logs: readonly RecoveredLog[],
  wasClean: boolean,
  release: () => Promise<void>,
): OpenedDirectory {
  const reports = logs.map(({ report }) => report);
  return { store, logs, report: { epoch: store.epoch, wasClean, logs: reports }, release };
}
