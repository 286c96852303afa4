/** Writes groups that a crash left only in the write-ahead log to the files where they belong. */
import type { FileHandle } from '../disk/disk.js';
import { inParallel } from '../disk/in-parallel.js';
import { readUpTo, withFile, writeFully } from '../disk/whole-file.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { ManifestSegment, ManifestState } from '../manifest/manifest.js';
import type { WatermarkFile } from '../manifest/watermarks.js';
import { readWalFile, type WalFolder } from '../wal/wal-file.js';
import type { WalContents, WalPart } from '../wal/wal-format.js';

/** How many files are written and synced at the same time. */
const filesAtOnce = 4;

/** The file of a segment, and the groups that belong in it. */
interface GroupedFile {
  readonly logId: number;
  readonly number: number;
  readonly groups: readonly WalPart[];
}

/**
 * Durably writes each group to its place, unless its file is known to hold it. The same place in a
 * segment always gets the same bytes, so this can be repeated. Throws `DamagedData` if acknowledged
 * groups cannot be read.
 */
export async function replayWal(
  folder: WalFolder & { readonly storeId: Buffer },
  state: ManifestState,
  watermarks: WatermarkFile,
): Promise<void> {
  const wal = await readDue(folder, state);
  if (wal === null) return;
  if (wal.fault !== null) throw walDamage(folder, wal.fault);
  // A complete segment was synced before the manifest said that it was complete.
  const growing = filesOf(wal.parts, state, ({ end }) => end === null);
  await inParallel(growing, filesAtOnce, async ({ logId, number, groups }) => {
    const mark = await watermarks.read(logId, logTagOf(folder.storeId, logId));
    const onDisk = mark?.segment === number ? mark.durablePosition : 0;
    const missing = groups.filter(({ position, bytes }) => position + bytes.length > onDisk);
    if (missing.length === 0) return;
    await useFile(folder, { logId, number }, 'write', async (file) => {
      for (const { position, bytes } of missing) {
        await writeFully(folder.disk, file, bytes, position);
      }
      await folder.disk.sync(file);
    });
  });
}

/**
 * Throws if a group is only in the write-ahead log of a folder: a power cut has left it like that,
 * and the next start of its server repairs it.
 */
export async function requireInFiles(folder: WalFolder, state: ManifestState): Promise<void> {
  const wal = await readDue(folder, state);
  const fault = wal?.fault ?? null;
  if (fault !== null) throw walDamage(folder, fault);
  for (const { groups, ...place } of filesOf(wal?.parts ?? [], state, () => true)) {
    await useFile(folder, place, 'read', async (file) => {
      for (const { position, bytes } of groups) {
        const found = await readUpTo(folder.disk, file, position, bytes.length);
        if (found.equals(bytes)) continue;
        throw walDamage(folder, 'it alone has what a power cut took: start the server first');
      }
    });
  }
}

/** What is wrong with the write-ahead log of a folder, if it counts; null if nothing is. */
export async function walFault(
  folder: WalFolder,
  state: ManifestState,
): Promise<DamagedData | null> {
  try {
    const fault = (await readDue(folder, state))?.fault ?? null;
    return fault === null ? null : walDamage(folder, fault);
  } catch (error) {
    if (error instanceof DamagedData) return error;
    throw error;
  }
}

/** Null if the write-ahead log does not count; throws `DamagedData` if it counts and is missing. */
async function readDue(
  folder: WalFolder,
  { writesAhead = null, closed }: ManifestState,
): Promise<WalContents | null> {
  if (writesAhead === null || closed !== null) return null;
  const wal = await readWalFile(folder, Buffer.from(writesAhead, 'hex'));
  if (wal === null) throw walDamage(folder, 'it is missing');
  return wal;
}

function walDamage({ directory }: WalFolder, reason: string): DamagedData {
  return new DamagedData({ file: directory.wal, from: 0, to: 0, lastGoodOffset: null }, reason);
}

/** The files of listed segments that are `wanted` and have groups, each with its groups. */
function filesOf(
  parts: readonly WalPart[],
  { logs }: ManifestState,
  wanted: (segment: ManifestSegment) => boolean,
): GroupedFile[] {
  const byFile = new Map<string, WalPart[]>();
  for (const part of parts) {
    const file = `${part.logId}/${part.number}`;
    const groups = byFile.get(file);
    if (groups === undefined) byFile.set(file, [part]);
    else groups.push(part);
  }
  return logs.flatMap(({ id: logId, segments }) =>
    segments.filter(wanted).flatMap(({ number }) => {
      const groups = byFile.get(`${logId}/${number}`);
      return groups === undefined ? [] : [{ logId, number, groups }];
    }),
  );
}

async function useFile(
  { disk, directory }: WalFolder,
  { logId, number }: Omit<GroupedFile, 'groups'>,
  mode: 'read' | 'write',
  use: (file: FileHandle) => Promise<void>,
): Promise<void> {
  try {
    await withFile(disk, directory.segment(logId, number), mode, use);
  } catch (error) {
    // The segment was trimmed or dropped meanwhile, or is lost, which recovery then reports.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
