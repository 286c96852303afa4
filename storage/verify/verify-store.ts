/**
 * Checks everything in a data folder that can be checked, and changes nothing: every checksum,
 * every chain, every index. Takes no lock, so it may run beside the server that owns the folder.
 */
import { basename, dirname } from 'node:path';
import type { Disk, FileHandle } from '../disk/disk.js';
import { parseSegmentName, StoreDirectory } from '../disk/store-directory.js';
import type { StoreFiles } from '../disk/store-files.js';
import { aroundUnreadable } from '../disk/unreadable-pages.js';
import { readUpTo, withFile } from '../disk/whole-file.js';
import { DamagedData, diskError, errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { ManifestLog, ManifestState } from '../manifest/manifest.js';
import { loadManifest } from '../manifest/manifest-file.js';
import { isIntactSlot, slotLength, WatermarkFile } from '../manifest/watermarks.js';
import type { OffsetRange } from '../offsets/offset.js';
import { recoverLog } from '../recovery/log-recovery.js';
import { contextForReading } from '../recovery/open-directory.js';
import type { RecoveredLog, RecoveringStore } from '../recovery/recovered-log.js';
import { walFault } from '../recovery/replay-wal.js';
import type { StoreOptions } from '../recovery/store-options.js';
import { listLogs, refuseUnlistedData } from '../recovery/stray-files.js';
import type { Segment } from '../segment/segment.js';
import { findDamage } from '../segment/segment-damage.js';
import { type VerifiedChain, verifyChain } from './verify-chain.js';
import { verifyManifest } from './verify-manifest.js';
import { verifySegment } from './verify-segment.js';

/** What a log was found to hold; offsets are half-open: [startOffset, endOffset). */
export interface VerifiedLog {
  readonly name: string;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly segments: number;
  readonly batches: number;
  readonly records: number;
  /** Bytes of its batches and segment headers. */
  readonly bytes: number;
  /** How many segments had an index file, which was compared with the records. */
  readonly indexes: number;
  readonly isDamaged: boolean;
  /** The result for its sealed part; null if it has no chain, or is damaged. */
  readonly chain: VerifiedChain | null;
  /** The damages that belong to this log. */
  readonly damages: readonly DamagedData[];
  /** Offset ranges of its segments that cannot be read, in order. */
  readonly lost: readonly OffsetRange[];
}

/** The result of a verification. */
export interface Verification {
  /** In the order of creation; only what is intact is counted. */
  readonly logs: readonly VerifiedLog[];
  /** At most one per segment, and those that concern no log. Empty: nothing is damaged. */
  readonly damages: readonly DamagedData[];
}

/** The progress in bytes of segments. The growing segments of a crashed store are extra. */
export interface VerifyProgress {
  readonly bytes: number;
  readonly bytesTotal: number;
}

/** A running server may write meanwhile, so apparent damage is looked at again. */
const looks = 3;

/**
 * Verifies the store in `directory`; `options.readOnly` must be set. Rejects with `DiskFailure` (no
 * store there, or it cannot be read). Damage is in the result, not thrown. `onProgress` is called
 * after every chunk that was read, and starts over when damage is looked at again.
 */
export async function verifyStore(
  disk: Disk,
  directory: string,
  options: StoreOptions,
  onProgress: (progress: VerifyProgress) => void = () => undefined,
): Promise<Verification> {
  let found = await look(disk, directory, options, onProgress);
  for (let again = 1; again < looks && found.damages.length > 0; again += 1) {
    found = await look(disk, directory, options, onProgress);
  }
  return found;
}

/** One look at everything. */
interface Look {
  readonly store: RecoveringStore;
  readonly state: ManifestState;
  /** Reports how many more bytes were read. */
  progressed(bytes: number): void;
}

async function look(
  disk: Disk,
  path: string,
  options: StoreOptions,
  onProgress: (progress: VerifyProgress) => void,
): Promise<Verification> {
  const directory = new StoreDirectory(path);
  const damages: DamagedData[] = [];
  const logs: VerifiedLog[] = [];
  await collect(damages, path, async () => {
    // Damage of one segment must not hide that of another.
    const isolating = { ...options, isolatesDamage: () => true };
    const { store, loaded } = await contextForReading(disk, directory, isolating);
    const { state } = loaded;
    const bytesTotal = listedBytes(state);
    let bytes = 0;
    const progressed = (more: number) => {
      bytes += more;
      onProgress({ bytes, bytesTotal: Math.max(bytes, bytesTotal) });
    };
    try {
      damages.push(...(await verifyManifest(disk, directory, state.closed !== null)));
      await collect(damages, directory.logs, async () =>
        refuseUnlistedData(store, state, await listLogs(store)),
      );
      const fault = await walFault(store, state);
      if (fault !== null) damages.push(fault);
      await collect(damages, directory.watermarks, () => disk.sizeAt(directory.watermarks));
      for (const log of state.logs) {
        const found = await verifyAsItIs({ store, state, progressed }, log);
        if (found === null) continue;
        logs.push(found);
        damages.push(...found.damages);
      }
    } finally {
      await store.openFiles.close();
    }
  });
  return { logs, damages };
}

/** Bytes of all segments whose end is in the manifest. */
function listedBytes({ logs, closed }: ManifestState): number {
  const ends = [...logs.flatMap(({ segments }) => segments), ...(closed ?? [])];
  return ends.reduce((sum, { end }) => sum + (end?.end ?? 0), 0);
}

/** Runs `work` on `file`; adds damage that it meets to the list, and also a missing file. */
async function collect(
  damages: DamagedData[],
  file: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof DamagedData) damages.push(error);
    else if (errorCode(error) !== 'ENOENT') throw diskError(`verifying ${file}`, error);
    else {
      const range = { file, from: 0, to: 0, lastGoodOffset: null };
      damages.push(new DamagedData(range, 'the file is missing'));
    }
  }
}

/**
 * Verifies a log that looks damaged again, as it is now: a running server may have begun, trimmed
 * or replaced segments since the manifest was read, which takes long in a large folder. Null if the
 * log was dropped.
 */
async function verifyAsItIs(look: Look, log: ManifestLog): Promise<VerifiedLog | null> {
  const { disk, directory } = look.store;
  const found = await verifyLog(look, log);
  if (found.damages.length === 0) return found;
  const listed = async () => {
    const state = (await loadManifest(disk, directory).catch(() => null))?.state ?? look.state;
    return { state, log: state.logs.find(({ id }) => id === log.id) ?? null };
  };
  const now = await listed();
  if (now.log === null) return null;
  if (JSON.stringify(now.log) === JSON.stringify(log)) return found;
  const again = await verifyLog({ ...look, state: now.state }, now.log);
  const then = again.damages.length === 0 ? now : await listed();
  return then.log === null ? null : withoutGone(directory, again, then.log);
}

/** Leaves out damage of segments that no longer belong to the log. */
function withoutGone(directory: StoreDirectory, found: VerifiedLog, log: ManifestLog): VerifiedLog {
  const listed = new Set(log.segments.map(({ number }) => number));
  const damages = found.damages.filter(({ range: { file } }) => {
    const segment = dirname(file) === directory.log(log.id) ? basename(file) : '';
    const number = parseSegmentName(segment)?.number;
    return number === undefined || listed.has(number);
  });
  if (damages.length === found.damages.length) return found;
  const lost = damages.length === 0 ? [] : found.lost;
  return { ...found, damages, lost, isDamaged: damages.length > 0 };
}

async function verifyLog(
  { store, state, progressed }: Look,
  log: ManifestLog,
): Promise<VerifiedLog> {
  const { directory } = store;
  const damages: DamagedData[] = [];
  const intact: Segment[] = [];
  const lost: OffsetRange[] = [];
  let indexes = 0;
  let endOffset = log.startOffset;
  let chain: VerifiedChain | null = null;
  await collect(damages, directory.watermarks, () => verifyWatermarks(store, log.id));
  await collect(damages, directory.log(log.id), async () => {
    const recovered = await recover(store, state, log);
    endOffset = recovered.nextOffset;
    for (const [place, segment] of recovered.segments.entries()) {
      const expected = expectedOf(state, recovered, segment, recovered.segments[place - 1] ?? null);
      const faults = damages.length;
      await collect(damages, directory.segment(log.id, segment.number), async () => {
        if (await verifySegment(store, expected, progressed)) indexes += 1;
        intact.push(segment);
      });
      if (damages.length === faults) continue;
      const damaged = { id: log.id, logTag: recovered.logTag };
      for (const { from, until } of await findDamage(store, damaged, segment)) {
        lost.push({ from, until });
      }
    }
    if (damages.length > 0) return;
    const sealed = recovered.segments.filter(({ isSealed }) => isSealed);
    chain = await verifyChain(store, { recovered, sealed }, (damage) => damages.push(damage));
  });
  const sum = (count: (segment: Segment) => number) =>
    intact.reduce((total, segment) => total + count(segment), 0);
  return {
    name: log.name,
    startOffset: log.startOffset,
    endOffset,
    segments: intact.length,
    batches: sum(({ batchCount }) => batchCount),
    records: sum(({ recordCount }) => recordCount),
    bytes: sum(({ end }) => end),
    indexes,
    isDamaged: damages.length > 0,
    chain,
    damages,
    lost,
  };
}

/** What a start would find in this log; throws for damage that would prevent the start. */
async function recover(
  store: RecoveringStore,
  { closed }: ManifestState,
  log: ManifestLog,
): Promise<RecoveredLog> {
  const { disk, storeId } = store;
  const watermark = await withWatermarks(store, (file) =>
    new WatermarkFile(disk, file).read(log.id, logTagOf(storeId, log.id)),
  );
  return recoverLog(store, log, {
    watermark,
    closed: closed?.find(({ id }) => id === log.id) ?? null,
    wasClean: closed !== null,
  });
}

/** Null if there are none: a start continues without them. */
async function withWatermarks<T>(
  { disk, directory }: StoreFiles,
  use: (file: FileHandle) => Promise<T>,
): Promise<T | null> {
  return withFile(disk, directory.watermarks, 'read', use).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  });
}

/** Both watermarks of a log: a slot is one sector, which is written completely or not at all. */
async function verifyWatermarks(store: StoreFiles, logId: number): Promise<void> {
  const file = store.directory.watermarks;
  const around = aroundUnreadable(store.disk, () => undefined);
  await withWatermarks(store, async (handle) => {
    for (const slot of [0, 1]) {
      const from = (logId * 2 + slot) * slotLength;
      const to = from + slotLength;
      if (isIntactSlot(await readUpTo(around, handle, from, slotLength))) continue;
      throw new DamagedData(
        { file, from, to, lastGoodOffset: null },
        'a watermark is not intact (a hint: no record is lost by it)',
      );
    }
  });
}

function expectedOf(
  { closed }: ManifestState,
  { log, logTag }: RecoveredLog,
  segment: Segment,
  before: Segment | null,
) {
  const digest = log.segments.find(({ number }) => number === segment.number)?.digest ?? null;
  const isClosed = closed?.some(({ id, number }) => id === log.id && number === segment.number);
  const isIndexed = digest !== null || isClosed === true;
  return { logId: log.id, logTag, segment, before, digest, isIndexed };
}
