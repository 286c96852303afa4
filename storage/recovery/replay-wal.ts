/** Puts what a crash has left in the write-ahead log alone into the files that it belongs to. */
import type { FileHandle } from '../disk/disk.js';
import { readUpTo, withFile, writeFully } from '../disk/whole-file.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { ManifestState } from '../manifest/manifest.js';
import type { WatermarkFile } from '../manifest/watermark-file.js';
import { readWalFile, type WalFolder } from '../wal/wal-file.js';
import type { WalPart } from '../wal/wal-format.js';

/**
 * Writes each group to its place, durably, unless its file is known to hold it: a place in a
 * segment never gets other bytes, so that this can be done again. Throws `DamagedData` where
 * acknowledged groups cannot be read.
 */
export async function replayWal(
  folder: WalFolder,
  state: ManifestState,
  watermarks: WatermarkFile,
): Promise<void> {
  const wal = await readWalFile(folder);
  if (wal === null) return;
  if (wal.fault !== null) throw walDamage(folder, wal.fault);
  const growing = new Set(
    state.logs.flatMap(({ id, segments }) =>
      segments.filter(({ end }) => end === null).map(({ number }) => `${id}/${number}`),
    ),
  );
  const missing: WalPart[] = [];
  for (const part of wal.parts) {
    // What was complete was synced before that was said.
    if (!growing.has(`${part.logId}/${part.number}`)) continue;
    const mark = await watermarks.read(part.logId, logTagOf(folder.storeId, part.logId));
    const onDisk = mark?.segment === part.number ? mark.durablePosition : 0;
    if (part.position + part.bytes.length > onDisk) missing.push(part);
  }
  await eachFile(folder, state, missing, 'write', async (file, parts) => {
    for (const { position, bytes } of parts) await writeFully(folder.disk, file, bytes, position);
    await folder.disk.sync(file);
  });
}

/**
 * Throws where a group is in the write-ahead log of a folder alone: a power cut has left it so, and
 * the next start of its server puts that right.
 */
export async function requireInFiles(folder: WalFolder, state: ManifestState): Promise<void> {
  const groups = (await readWalFile(folder))?.parts ?? [];
  await eachFile(folder, state, groups, 'read', async (file, parts) => {
    for (const { position, bytes } of parts) {
      const found = await readUpTo(folder.disk, file, position, bytes.length);
      if (!found.equals(bytes)) {
        throw walDamage(folder, 'it alone has what a power cut took: start the server first');
      }
    }
  });
}

/** What is said of groups that cannot be relied on. */
export function walDamage({ directory }: Pick<WalFolder, 'directory'>, reason: string) {
  return new DamagedData({ file: directory.wal, from: 0, to: 0, lastGoodOffset: null }, reason);
}

/** Runs `use` on the file of each segment that groups are of, with those. */
async function eachFile(
  { disk, directory }: WalFolder,
  { logs }: ManifestState,
  groups: readonly WalPart[],
  mode: 'read' | 'write',
  use: (file: FileHandle, parts: readonly WalPart[]) => Promise<void>,
): Promise<void> {
  for (const { id, segments } of logs) {
    for (const { number } of segments) {
      const parts = groups.filter((part) => part.logId === id && part.number === number);
      if (parts.length === 0) continue;
      await withFile(disk, directory.segment(id, number), mode, (file) => use(file, parts)).catch(
        (error: unknown) => {
          // It was trimmed or dropped meanwhile, or is lost: then it is told of elsewhere.
          if (errorCode(error) !== 'ENOENT') throw error;
        },
      );
    }
  }
}
