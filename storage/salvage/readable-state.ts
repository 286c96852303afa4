/** What a manifest would say if it were written anew, from all that is left in a folder. */
import type { Disk } from '../disk/disk.js';
import { parseSegmentName, type StoreDirectory } from '../disk/store-directory.js';
import { readWhole, withFile } from '../disk/whole-file.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { ManifestLog, ManifestSegment, ManifestState } from '../manifest/manifest.js';
import { type ManifestCopy, parseCopy } from '../manifest/manifest-file.js';
import { type Watermark, WatermarkFile } from '../manifest/watermark-file.js';
import { type FoundSegment, findSegment, knownEnd } from './known-end.js';

/** A manifest that every segment is listed in with its end. */
export interface ReadableState {
  readonly storeId: Buffer;
  readonly generation: number;
  readonly state: ManifestState;
  /** What does not follow from it, in words. */
  readonly problems: readonly string[];
}

/**
 * Reads whatever reads. Throws `DamagedData` where neither copy of the manifest begins intact: then
 * nothing says which file belongs to which log. Throws `NewerFormat`.
 */
export async function readableState(disk: Disk, directory: StoreDirectory): Promise<ReadableState> {
  const copies = [await copyOf(disk, directory, 0), await copyOf(disk, directory, 1)];
  const best = copies.reduce((one, two) => (isNewer(two, one) ? two : one), null);
  if (best === null) {
    const range = { file: directory.manifest(0), from: 0, to: 0, lastGoodOffset: null };
    const reason = 'no copy begins intact, so no file can be told whose it is; restore a backup';
    throw new DamagedData(range, reason);
  }
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

async function copyOf(disk: Disk, directory: StoreDirectory, copy: 0 | 1) {
  const bytes = await readWhole(disk, directory.manifest(copy)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  return bytes === null ? null : parseCopy(bytes);
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
  const { disk, directory, storeId } = reading;
  const logTag = logTagOf(storeId, log.id);
  const numbers = await numbersIn(disk, directory, log.id);
  const watermark = await watermarkOf(disk, directory, log.id, logTag);
  const ended = log.segments.map((entry): ManifestSegment => {
    const clean = closed?.find(({ id, number }) => id === log.id && number === entry.number);
    return entry.end === null && clean !== undefined ? { ...entry, end: clean.end } : entry;
  });
  const complete = ended.filter(
    ({ number, end, digest }) => end !== null && (digest !== null || numbers.has(number)),
  );
  const listed = new Set(complete.map(({ number }) => number));
  const open: FoundSegment[] = [];
  for (const number of numbers) {
    if (listed.has(number)) continue;
    open.push(await findSegment(disk, directory.segment(log.id, number), number, logTag));
  }
  const segments = withOpen(complete, open, numbers, watermark);
  const nextNumber = Math.max(log.nextNumber, ...[...numbers].map((number) => number + 1));
  const ceiling = Math.max(
    log.ceiling,
    watermark?.durableOffset ?? 0,
    watermark?.acknowledged ?? 0,
  );
  return { ...log, segments, nextNumber, ceiling };
}

/**
 * Segments without a known end go where their offsets belong: behind all others, or in the place of
 * one whose file is gone. Those that another one covers were replaced by it, or replace it.
 */
function withOpen(
  complete: readonly ManifestSegment[],
  open: readonly FoundSegment[],
  numbers: ReadonlySet<number>,
  watermark: Watermark | null,
): ManifestSegment[] {
  const present = complete.filter(({ number }) => numbers.has(number));
  const segments = [...present];
  for (const [place, found] of open.entries()) {
    const first = found.header?.baseOffset ?? found.batches[0]?.baseOffset ?? null;
    const before = segments.reduce((most, { end }) => {
      const next = end?.nextOffset ?? 0;
      return first === null || next <= first ? Math.max(most, next) : most;
    }, 0);
    const follower = open[place + 1]?.header ?? null;
    const end = knownEnd(found, before, watermark, follower);
    if (end === null || segments.some((other) => overlap(other, end))) continue;
    segments.push({ number: found.number, end, digest: null });
  }
  for (const missing of complete) {
    if (numbers.has(missing.number) || missing.end === null) continue;
    const { end } = missing;
    if (!segments.some((other) => overlap(other, end))) segments.push(missing);
  }
  return segments.sort((one, two) => (one.end?.baseOffset ?? 0) - (two.end?.baseOffset ?? 0));
}

function overlap(
  { end: one }: ManifestSegment,
  two: { readonly baseOffset: number; readonly nextOffset: number },
): boolean {
  return one !== null && one.baseOffset < two.nextOffset && two.baseOffset < one.nextOffset;
}

async function numbersIn(
  disk: Disk,
  directory: StoreDirectory,
  logId: number,
): Promise<ReadonlySet<number>> {
  const names = await disk.list(directory.log(logId)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const segments = names.map(parseSegmentName).filter((each) => each?.kind === 'log');
  return new Set(segments.flatMap((each) => (each === null ? [] : [each.number])));
}

async function watermarkOf(
  disk: Disk,
  directory: StoreDirectory,
  logId: number,
  logTag: number,
): Promise<Watermark | null> {
  return withFile(disk, directory.watermarks, 'read', (file) =>
    new WatermarkFile(disk, file).read(logId, logTag),
  ).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
}
