/** The folder of a copy: what is written beside the segments, and how to remove a copy. */
import { basename, join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { parseLogName, type StoreDirectory } from '../disk/store-directory.js';
import { withFile, writeAside } from '../disk/whole-file.js';
import { DiskFull } from '../faults/storage-errors.js';
import type { ManifestLog } from '../manifest/manifest.js';
import { ManifestFile } from '../manifest/manifest-file.js';
import { WatermarkFile } from '../manifest/watermarks.js';
import { removeLogFiles } from '../segment/segment-removal.js';
import type { CopiedLog, Moment } from './moment.js';

/** Creates the directories of a copy without logs. */
export async function makeFolder(disk: Disk, directory: StoreDirectory): Promise<void> {
  await disk.makeDirectory(directory.path);
  for (const part of [directory.logs, directory.aside]) await disk.makeDirectory(part);
}

/** Removes the parts of a copy from its folder, including the files `beside` its logs. */
export async function emptyFolder(
  disk: Disk,
  directory: StoreDirectory,
  beside: readonly string[],
): Promise<void> {
  const { path, logs, aside, watermarks } = directory;
  const names = await disk.list(path);
  if (names.includes(basename(logs))) {
    for (const logId of (await disk.list(logs)).map(parseLogName)) {
      if (logId !== null) await removeLogFiles({ disk, directory }, logId);
    }
    await disk.removeDirectory(logs);
  }
  if (names.includes(basename(aside))) {
    for (const name of await disk.list(aside)) await disk.remove(directory.asideFile(name));
    await disk.removeDirectory(aside);
  }
  const others = beside.map((name) => join(path, name));
  for (const file of [directory.manifest(0), directory.manifest(1), watermarks, ...others]) {
    if (names.includes(basename(file))) await disk.remove(file);
  }
}

/** Writes how far unsealed segments reach: all of their bytes are on disk. */
export async function writeWatermarks(
  disk: Disk,
  directory: StoreDirectory,
  { loaded, logs }: Moment,
): Promise<void> {
  await disk.remove(directory.watermarks).catch(() => undefined);
  await withFile(disk, directory.watermarks, 'create', async (file) => {
    const watermarks = new WatermarkFile(disk, file);
    for (const { log, logTag, segments } of logs) {
      const last = segments.at(-1);
      const nextOffset = last?.part?.nextOffset ?? null;
      if (last === undefined || last.part === null || nextOffset === null) continue;
      const isWritten = await watermarks.write(log.id, {
        segment: last.entry.number,
        durablePosition: last.part.end,
        epoch: loaded.state.epoch,
        durableOffset: nextOffset,
        acknowledged: nextOffset,
        logTag,
      });
      // Only this file says where the copied part ends.
      if (!isWritten) throw new DiskFull('writing the watermarks', 'there is no room');
    }
    await watermarks.sync();
  });
}

/** Durably writes files beside the logs, with their names. */
export async function writeBeside(
  disk: Disk,
  { path }: StoreDirectory,
  files: ReadonlyMap<string, Buffer>,
): Promise<void> {
  for (const [name, content] of files) await writeAside(disk, join(path, name), content);
  await disk.syncDirectory(path);
}

/** Writes both copies of the manifest durably, as a crash at the moment would have left them. */
export async function writeManifest(
  disk: Disk,
  directory: StoreDirectory,
  { loaded, logs }: Moment,
  skippedOffsets: (logName: string) => number,
): Promise<void> {
  const { storeId, generation } = loaded;
  const listedLogs = logs.map((copied) => listed(copied, skippedOffsets(copied.log.name)));
  const state = {
    ...loaded.state,
    logs: listedLogs,
    dropped: [],
    closed: null,
    writesAhead: null,
  };
  const manifest = new ManifestFile(disk, directory, { storeId, generation, state });
  await manifest.beginGeneration();
  await manifest.close();
}

/** A partly copied segment is a growing one in the copy: a start finds its end. */
function listed({ log, segments }: CopiedLog, skipped: number): ManifestLog {
  const last = segments.at(-1);
  const end = last?.part?.nextOffset ?? last?.entry.end?.nextOffset ?? log.startOffset;
  return {
    ...log,
    // A start skips the offsets below the ceiling, as after a loss in a lazy mode.
    ceiling: skipped === 0 ? log.ceiling : Math.max(log.ceiling, end + skipped),
    segments: segments.map(({ entry, part }) =>
      part === null ? entry : { number: entry.number, end: null, digest: null },
    ),
  };
}
