/** From a path to all an open store needs: lock, manifest, recovery, in the order that counts. */
import { dirname } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { FreeSpace } from '../disk/free-space.js';
import { inParallel } from '../disk/in-parallel.js';
import { StoreDirectory } from '../disk/store-directory.js';
import { withFile, writeFully } from '../disk/whole-file.js';
import { DamagedData, DirectoryInUse, diskError, errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import { emptyManifest, type ManifestState } from '../manifest/manifest.js';
import { type LoadedManifest, loadManifest, ManifestFile } from '../manifest/manifest-file.js';
import { WatermarkFile } from '../manifest/watermark-file.js';
import { WatermarkKeeper } from '../manifest/watermark-keeper.js';
import type { StoreOptions, StoreReport } from '../store.js';
import { contextOf, type StoreContext } from '../store-context.js';
import { recoverLog } from './log-recovery.js';
import type { RecoveredLog } from './recovered-log.js';
import { clearStrayFiles, emptyAside, listLogs, refuseUnlistedData } from './stray-files.js';

const megabyte = 1024 * 1024;
/** Logs that are opened at the same time: each holds a file or two then. */
const logsAtOnce = 32;

/** What a store is made of. */
export interface OpenedDirectory {
  readonly context: StoreContext;
  readonly logs: readonly RecoveredLog[];
  readonly report: StoreReport;
  readonly watermarks: WatermarkKeeper | null;
  /** Gives the lock back; does nothing for a reader. */
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
    // Whether there is room is known before anything is accepted.
    await opened.context.freeSpace.start();
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
  const freeSpace = new FreeSpace(disk, directory, {
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
    storeId,
    loaded?.generation ?? 0,
    { ...before, epoch: before.epoch + 1, closed: null },
    options.manifestBytesMax ?? megabyte,
  );
  const context = contextOf({ disk, directory, storeId, manifest, freeSpace }, options);
  await emptyAside(context);
  if (loaded === null) return openNew(context, release);
  const listed = await listLogs(context);
  await refuseUnlistedData(context, before, listed);
  // The clean marker goes before anything is read: a crash from here on is a crash.
  await manifest.beginGeneration();
  const watermarks = new WatermarkFile(disk, await openOrCreate(disk, directory.watermarks));
  await disk.syncDirectory(directory.path);
  // Before, so that recovery finds its new names free; after, for what it let go.
  await clearStrayFiles(context, before, listed);
  const logs = await recoverLogs(context, watermarks, loaded);
  await keepTornEdit(context, loaded);
  await clearStrayFiles(
    context,
    manifest.state,
    await listLogs(context, changedLogs(before, manifest.state)),
  );
  manifest.state = { ...manifest.state, dropped: [] };
  return opened(context, logs, before.closed !== null, watermarks, release);
}

async function openNew(
  context: StoreContext,
  release: () => Promise<void>,
): Promise<OpenedDirectory> {
  const { disk, directory, manifest } = context;
  const file = await openOrCreate(disk, directory.watermarks);
  await disk.syncDirectory(directory.path);
  await manifest.beginGeneration();
  return opened(context, [], true, new WatermarkFile(disk, file), release);
}

/** The watermarks only ever add proof: a start without the file goes on with a new one. */
async function openOrCreate(disk: Disk, path: string): Promise<number> {
  try {
    return await disk.open(path, 'create');
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return disk.open(path, 'write');
  }
}

/** No manifest and yet there are logs: it is lost, and a new store must not be made over them. */
async function refuseLostManifest(disk: Disk, directory: StoreDirectory): Promise<void> {
  const names = await disk.list(directory.path);
  if (!names.includes('logs') || (await disk.list(directory.logs)).length === 0) return;
  throw new DamagedData(
    { file: directory.manifest(0), from: 0, to: 0, lastGoodOffset: null },
    'it is missing but there are logs',
  );
}

async function recoverLogs(
  context: StoreContext,
  watermarks: WatermarkFile | null,
  { state, storeId }: LoadedManifest,
): Promise<RecoveredLog[]> {
  const wasClean = state.closed !== null;
  const closedById = new Map(state.closed?.map((closed) => [closed.id, closed]));
  const recoverAll = () =>
    inParallel(state.logs, logsAtOnce, async (log) => {
      const watermark = (await watermarks?.read(log.id, logTagOf(storeId, log.id))) ?? null;
      const closed = closedById.get(log.id) ?? null;
      return recoverLog(context, log, { watermark, closed, wasClean });
    });
  return watermarks === null ? recoverAll() : watermarks.readingAll(recoverAll);
}

/** The logs that recovery has changed: edits leave all others the same objects. */
function changedLogs(before: ManifestState, after: ManifestState): number[] {
  const untouched = new Set(before.logs);
  return after.logs.filter((log) => !untouched.has(log)).map(({ id }) => id);
}

async function keepTornEdit(context: StoreContext, { torn }: LoadedManifest): Promise<void> {
  if (torn.every((byte) => byte === 0)) return;
  const { disk, directory, epoch } = context;
  await withFile(disk, directory.quarantined(epoch, 'manifest-edit'), 'create', async (file) => {
    await writeFully(disk, file, torn, 0);
    await disk.sync(file);
  });
  await disk.syncDirectory(directory.quarantine);
}

/** What a reader has beside a running server: the manifest of this moment, and no lock. */
export async function contextForReading(
  disk: Disk,
  directory: StoreDirectory,
  options: StoreOptions,
): Promise<{ readonly context: StoreContext; readonly loaded: LoadedManifest }> {
  const loaded = await loadManifest(disk, directory);
  if (loaded === null) {
    await refuseLostManifest(disk, directory);
    throw diskError('opening for reading', new Error(`no store in ${directory.path}`));
  }
  const { storeId, state, generation } = loaded;
  const manifest = new ManifestFile(disk, directory, storeId, generation, state, 0);
  const freeSpace = new FreeSpace(disk, directory, {
    reserveBytes: 0,
    freeBytesMin: 0,
    after: options.after,
    randomBytes: options.randomBytes,
  });
  return { context: contextOf({ disk, directory, storeId, manifest, freeSpace }, options), loaded };
}

async function openForReading(
  disk: Disk,
  directory: StoreDirectory,
  options: StoreOptions,
): Promise<OpenedDirectory> {
  const { context, loaded } = await contextForReading(disk, directory, options);
  const file = await disk.open(directory.watermarks, 'read').catch(() => null);
  const watermarks = file === null ? null : new WatermarkFile(disk, file);
  try {
    const logs = await recoverLogs(context, watermarks, loaded);
    const release = async () => undefined;
    return opened(context, logs, loaded.state.closed !== null, null, release);
  } finally {
    if (file !== null) await disk.close(file);
  }
}

function opened(
  context: StoreContext,
  logs: readonly RecoveredLog[],
  wasClean: boolean,
  watermarks: WatermarkFile | null,
  release: () => Promise<void>,
): OpenedDirectory {
  const reports = logs.map(({ report }) => report);
  const report = { epoch: context.epoch, wasClean, logs: reports };
  const { after, fence } = context;
  const keeper =
    watermarks === null
      ? null
      : new WatermarkKeeper(watermarks, after, context.now, (error) => {
          fence.fail('writing a watermark', error);
        });
  context.movedLogs = keeper;
  return { context, logs, report, watermarks: keeper, release };
}
