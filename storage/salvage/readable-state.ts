/** The manifest that could be written from everything that is left in a folder. */
import type { Disk } from '../disk/disk.js';
import type { StoreDirectory } from '../disk/store-directory.js';
import { readUpTo } from '../disk/whole-file.js';
import { errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { ManifestLog, ManifestSegment } from '../manifest/manifest.js';
import { type ManifestCopy, parseCopy } from '../manifest/manifest-format.js';
import { readWalFile } from '../wal/wal-file.js';
import type { WalPart } from '../wal/wal-format.js';
import { ofDamaged } from './damaged-file.js';
import { type FoundSegment, findSegment } from './known-end.js';
import { type KnownLogs, type ReadableState, rebuiltState } from './rebuilt-state.js';
import { lost, numbersIn, watermarkOf, withOpen } from './segments-in-order.js';

/**
 * Reads everything that can be read; if neither copy of the manifest begins intact, the files of
 * the logs show what there was. Throws `DamagedData` if they do not either, and `NewerFormat`.
 */
export async function readableState(
  disk: Disk,
  directory: StoreDirectory,
  otherwise: KnownLogs,
): Promise<ReadableState> {
  const best = await bestCopy(disk, directory);
  if (best === null) return rebuiltState(disk, directory, otherwise);
  const problems: string[] = [];
  const logs: ManifestLog[] = [];
  for (const log of best.state.logs) {
    logs.push(await readableLog({ disk, directory, storeId: best.storeId, problems }, best, log));
  }
  const known = new Set(best.state.logs.map(({ id }) => directory.log(id)));
  const dropped = new Set(best.state.dropped.map((id) => directory.log(id)));
  for (const name of await disk.list(directory.logs)) {
    const path = `${directory.logs}/${name}`;
    if (!known.has(path) && !dropped.has(path)) {
      problems.push(`logs/${name}: no copy of the manifest knows its name; it is left out`);
    }
  }
  const state = { ...best.state, logs, dropped: [], closed: null };
  return { storeId: best.storeId, generation: best.generation, state, problems };
}

/** Returns the usable part of the manifest; null if neither copy begins intact. */
async function bestCopy(disk: Disk, directory: StoreDirectory): Promise<ManifestCopy | null> {
  const copies = [await copyOf(disk, directory, 0), await copyOf(disk, directory, 1)];
  return copies.reduce((one, two) => (isNewer(two, one) ? two : one), null);
}

/** Returns the readable groups of the current write-ahead log. */
export async function groupsAhead(
  disk: Disk,
  directory: StoreDirectory,
): Promise<readonly WalPart[]> {
  const best = await bestCopy(disk, directory);
  const { writesAhead = null, closed = null } = best?.state ?? {};
  if (writesAhead === null || closed !== null) return [];
  const id = Buffer.from(writesAhead, 'hex');
  try {
    return (await readWalFile({ disk, directory }, id))?.parts ?? [];
  } catch (error) {
    // The export lists it as a file that cannot be opened.
    if (errorCode(error) === 'EIO') return [];
    throw error;
  }
}

async function copyOf(disk: Disk, directory: StoreDirectory, copy: 0 | 1) {
  return ofDamaged(disk, directory.manifest(copy), null, async (file) =>
    parseCopy(await readUpTo(disk, file, 0, await disk.size(file))),
  );
}

function isNewer(copy: ManifestCopy | null, than: ManifestCopy | null): boolean {
  if (copy === null || than === null) return copy !== null;
  if (copy.generation !== than.generation) return copy.generation > than.generation;
  return copy.editCount > than.editCount;
}

interface Reading {
  readonly disk: Disk;
  readonly directory: StoreDirectory;
  readonly storeId: Buffer;
  readonly problems: string[];
}

/** The log with all of its files that hold something, each with its end, in order. */
async function readableLog(
  reading: Reading,
  { state: { closed } }: ManifestCopy,
  log: ManifestLog,
): Promise<ManifestLog> {
  const { disk, directory, storeId, problems } = reading;
  const logTag = logTagOf(storeId, log.id);
  const numbers = await numbersIn(disk, directory, log.id);
  const watermark = await watermarkOf(disk, directory, log.id, logTag);
  const ended = log.segments.map((entry): ManifestSegment => {
    const clean = closed?.find(({ id, number }) => id === log.id && number === entry.number);
    const end = entry.end ?? clean?.end ?? null;
    if (end === null) return entry;
    const isLost = entry.digest === null && !numbers.has(entry.number);
    return isLost ? lost(entry.number, end) : { ...entry, end };
  });
  const complete = ended.filter(({ end }) => end !== null);
  const listed = new Set(complete.map(({ number }) => number));
  const open: FoundSegment[] = [];
  // Includes growing segments whose files are gone: a watermark may show that they held records.
  const all = new Set([...numbers, ...ended.map(({ number }) => number)]);
  for (const number of [...all].sort((one, two) => one - two)) {
    if (listed.has(number)) continue;
    open.push(await findSegment(disk, directory.segment(log.id, number), number, logTag));
  }
  const segments = withOpen(complete, open, numbers, watermark);
  for (const { number, end } of ended) {
    if (end !== null || numbers.has(number)) continue;
    if (segments.some((segment) => segment.number === number)) continue;
    const file = directory.segment(log.id, number);
    const isGone = await disk.sizeAt(file).then(
      () => false,
      () => true,
    );
    if (isGone) problems.push(`${file}: it is gone, and may have held records`);
  }
  const nextNumber = Math.max(log.nextNumber, ...[...numbers].map((number) => number + 1));
  const ceiling = Math.max(
    log.ceiling,
    watermark?.durableOffset ?? 0,
    watermark?.acknowledged ?? 0,
  );
  return { ...log, segments, nextNumber, ceiling };
}
