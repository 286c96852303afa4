/**
 * Reads the sealed segments of a folder one after another and compares them with everything known
 * of them, before they are needed. For the process that owns the folder.
 */
import type { Disk } from '../disk/disk.js';
import { StoreDirectory } from '../disk/store-directory.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { ManifestLog, ManifestSegment, ManifestState } from '../manifest/manifest.js';
import { loadManifest } from '../manifest/manifest-file.js';
import { contextForReading } from '../recovery/open-directory.js';
import type { StoreOptions } from '../recovery/store-options.js';
import { Segment } from '../segment/segment.js';
import { type VerifiedStore, verifySegment } from './verify-segment.js';

/** A segment that was read. */
export interface ScrubbedSegment {
  /** The name of its log. */
  readonly log: string;
  /** Its own file; `damage` may concern another file, such as its index. */
  readonly file: string;
  /** Header and batches. */
  readonly bytes: number;
  /** Null: it is intact. */
  readonly damage: DamagedData | null;
}

interface SealedPlace {
  readonly log: ManifestLog;
  readonly entry: ManifestSegment;
  readonly before: ManifestSegment | null;
}

/** How often apparent damage is looked at: the segment may be about to be removed. */
const looks = 2;

/**
 * One pass over the segments that are sealed by now; skips those that are removed meanwhile. It
 * begins after the fraction `start` of them, and goes around once: so a process that never lives as
 * long as a pass takes still reads different ones each time. Rejects if a file cannot be read.
 */
export async function* scrub(
  disk: Disk,
  path: string,
  options: StoreOptions,
  start: number,
): AsyncGenerator<ScrubbedSegment> {
  const directory = new StoreDirectory(path);
  const { store, loaded } = await contextForReading(disk, directory, options);
  try {
    const places = sealedPlaces(loaded.state);
    const first = Math.floor(start * places.length);
    for (const place of [...places.slice(first), ...places.slice(0, first)]) {
      const { log, entry } = place;
      const damage = await damageOf(store, place);
      const file = directory.segment(log.id, entry.number);
      await store.openFiles.forget(file);
      yield { log: log.name, file, bytes: entry.end?.end ?? 0, damage };
    }
  } finally {
    await store.openFiles.close();
  }
}

/**
 * The files of the segments of a folder: any other segment was trimmed, or replaced. Rejects if the
 * manifest cannot be read.
 */
export async function segmentFiles(disk: Disk, path: string): Promise<ReadonlySet<string>> {
  const directory = new StoreDirectory(path);
  const logs = (await loadManifest(disk, directory))?.state.logs ?? [];
  return new Set(
    logs.flatMap(({ id, segments }) => segments.map(({ number }) => directory.segment(id, number))),
  );
}

function sealedPlaces({ logs }: ManifestState): SealedPlace[] {
  return logs.flatMap((log) =>
    log.segments.flatMap((entry, place) => {
      if (entry.end === null || entry.digest === null) return [];
      return [{ log, entry, before: log.segments[place - 1] ?? null }];
    }),
  );
}

async function damageOf(store: VerifiedStore, place: SealedPlace): Promise<DamagedData | null> {
  for (let look = 1; ; look += 1) {
    const damage = await lookAt(store, place);
    if (damage === null || !(await isListed(store, place))) return null;
    if (look === looks) return damage;
  }
}

async function lookAt(store: VerifiedStore, place: SealedPlace): Promise<DamagedData | null> {
  const { log, entry, before } = place;
  const { id } = log;
  const listed = (each: ManifestSegment | null) =>
    each === null || each.end === null ? null : Segment.listed(id, each, each.end);
  const segment = listed(entry);
  if (segment === null) return null;
  const expected = {
    logId: id,
    logTag: logTagOf(store.storeId, id),
    segment,
    before: listed(before),
    digest: entry.digest,
    isIndexed: true,
  };
  try {
    await verifySegment(store, expected, () => undefined);
    return null;
  } catch (error) {
    if (error instanceof DamagedData) return error;
    if (errorCode(error) !== 'ENOENT') throw error;
    const file = store.directory.segment(id, entry.number);
    return new DamagedData({ file, from: 0, to: 0, lastGoodOffset: null }, 'the file is missing');
  }
}

/** Whether it is still a segment of its log: files of replaced or trimmed segments may be gone. */
async function isListed(
  { disk, directory }: VerifiedStore,
  { log, entry }: SealedPlace,
): Promise<boolean> {
  const loaded = await loadManifest(disk, directory);
  const segments = loaded?.state.logs.find(({ id }) => id === log.id)?.segments ?? [];
  return segments.some(({ number }) => number === entry.number);
}
