/** Files not listed in the manifest: removed, kept aside, or proof that the manifest is wrong. */
import { join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { inParallel } from '../disk/in-parallel.js';
import { removeFreeing } from '../disk/remove-file.js';
import { chainName, parseLogName, parseSegmentName } from '../disk/store-directory.js';
import type { StoreFiles } from '../disk/store-files.js';
import { isZero } from '../disk/whole-file.js';
import { DamagedData } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { SegmentOrigin } from '../format/segment-format.js';
import type { ManifestLog, ManifestState } from '../manifest/manifest.js';
import { removeLogFiles } from '../segment/segment-removal.js';
import { holdsBatches } from '../segment/segment-scan.js';

/** How many log directories are listed at the same time. */
const listsAtOnce = 32;

/** The store whose files are examined. */
interface ListedStore extends StoreFiles, Omit<SegmentOrigin, 'now'> {}

/** The names in the directory of a log. */
export interface ListedLog {
  readonly logId: number;
  readonly names: readonly string[];
}

/** The names in all directories of logs, or only those of `only`, in order. */
export async function listLogs(
  { disk, directory }: StoreFiles,
  only?: readonly number[],
): Promise<ListedLog[]> {
  if (only?.length === 0) return [];
  const wanted = only === undefined ? null : new Set(only);
  const ids = (await disk.list(directory.logs))
    .map(parseLogName)
    .filter((logId) => logId !== null)
    .filter((logId) => wanted === null || wanted.has(logId));
  return inParallel(ids, listsAtOnce, async (logId) => {
    return { logId, names: await disk.list(directory.log(logId)) };
  });
}

/**
 * Examines every name under logs/ and changes nothing. Throws `DamagedData` for a file that holds
 * records and that no edit of the manifest has ever released.
 */
export async function refuseUnlistedData(
  store: ListedStore,
  state: ManifestState,
  listed: readonly ListedLog[],
): Promise<void> {
  const { directory } = store;
  const [known, dropped] = [byId(state), new Set(state.dropped)];
  for (const { logId, names } of listed) {
    if (dropped.has(logId)) continue;
    const log = known.get(logId);
    for (const file of names) {
      const segment = parseSegmentName(file);
      if (segment?.kind !== 'log' || (log !== undefined && segment.number < log.nextNumber)) {
        continue;
      }
      const path = join(directory.log(logId), file);
      const isData = await holdsBatches(store, path, logTagOf(store.storeId, logId));
      await store.openFiles.forget(path);
      if (!isData) continue;
      throw new DamagedData(
        { file: path, from: 0, to: 0, lastGoodOffset: null },
        'it holds records but the manifest does not list it',
      );
    }
  }
}

function byId({ logs }: ManifestState): ReadonlyMap<number, ManifestLog> {
  return new Map(logs.map((log) => [log.id, log]));
}

/**
 * Removes files that did not have their final name when the last process ended: none of them had
 * taken effect. A directory stays: a store makes none here, so a person made it and may need it.
 */
export async function emptyAside({ disk, directory }: StoreFiles): Promise<void> {
  for (const name of await disk.list(directory.aside)) {
    const path = directory.asideFile(name);
    try {
      await removeFreeing(disk, path);
    } catch (error) {
      if (!(await isDirectory(disk, path))) throw error;
    }
  }
}

function isDirectory(disk: Disk, path: string): Promise<boolean> {
  return disk.list(path).then(
    () => true,
    () => false,
  );
}

/** Removes files that a durable edit has released; moves everything else to quarantine/. */
export async function clearStrayFiles(
  store: ListedStore,
  state: ManifestState,
  listed: readonly ListedLog[],
): Promise<void> {
  const [known, dropped] = [byId(state), new Set(state.dropped)];
  for (const { logId, names } of listed) {
    if (dropped.has(logId)) await removeLogFiles(store, logId);
    else await clearLog(store, logId, known.get(logId) ?? null, names);
  }
}

async function clearLog(
  store: ListedStore,
  logId: number,
  log: ManifestLog | null,
  names: readonly string[],
): Promise<void> {
  const { disk, directory } = store;
  const path = directory.log(logId);
  const listed = new Set(log?.segments.map(({ number }) => number));
  let changed = false;
  for (const name of names) {
    const segment = parseSegmentName(name);
    if (segment !== null && listed.has(segment.number)) continue;
    if (name === chainName && log !== null) continue;
    changed = true;
    const file = join(path, name);
    await store.openFiles.forget(file);
    const decided = segment !== null && segment.number < (log?.nextNumber ?? 0);
    const isDerived = segment !== null && segment.kind !== 'log';
    if (decided || isDerived || (await isAllZero(store, file))) {
      await removeFreeing(disk, file);
    } else {
      await disk.rename(file, directory.quarantined(store.epoch, `log-${logId}-${name}`));
      await disk.syncDirectory(directory.quarantine);
    }
  }
  if (changed) await disk.syncDirectory(path);
}

async function isAllZero({ disk, openFiles }: StoreFiles, path: string): Promise<boolean> {
  return openFiles
    .use(path, async (file) => isZero(disk, file, 0, await disk.size(file)))
    .finally(() => openFiles.forget(path));
}
