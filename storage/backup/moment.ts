/** Finds one moment of a store that keeps being written, from its files alone. */
import { withFile } from '../disk/whole-file.js';
import { DamagedData, errorCode } from '../faults/storage-errors.js';
import { logTagOf } from '../format/record-batch.js';
import type { ManifestLog, ManifestSegment, ManifestState } from '../manifest/manifest.js';
import { type LoadedManifest, loadManifest } from '../manifest/manifest-file.js';
import { WatermarkFile } from '../manifest/watermarks.js';
import type { Offset } from '../offsets/offset.js';
import { GrowingPart } from './growing-part.js';
import type { HeldSegments } from './held-segments.js';
import { LogBroken, SourceChanged, type SourceFolder, unlessGone } from './source.js';

/** How many looks at the ends of the logs are taken before the copy begins again. */
const examinedMax = 100;

/** A segment that belongs in the copy: all of it, or the part of it that was read. */
export interface CopiedSegment {
  readonly entry: ManifestSegment;
  readonly part: GrowingPart | null;
}

/** A log as it was at the moment. */
export interface CopiedLog {
  readonly log: ManifestLog;
  readonly logTag: number;
  readonly segments: readonly CopiedSegment[];
  /** The damage behind these segments in the source, which is left out; null: there is none. */
  readonly cut: DamagedData | null;
}

/** The content of the copy. */
export interface Moment {
  readonly loaded: LoadedManifest;
  readonly logs: readonly CopiedLog[];
}

/** One look at all logs; the next look may extend the parts that it has read. */
interface Look extends Moment {
  /** The look met a batch that is too late for the copy. */
  readonly isPassed: boolean;
  /** The ends of all logs. */
  readonly ends: string;
}

/**
 * Looks at all logs, one after another, until the result is the state at one moment: with all that
 * was acknowledged before the moment, and nothing that was appended after it.
 *
 * The first look fixes a time: the latest append that it saw in any log. From then on only batches
 * appended by that time are taken. The search ends in one of two ways:
 *
 * - Two looks in a row saw the same ends. Ends only grow, so between the two every log ended there.
 * - A look saw a batch that was appended later than that time, and one more look was taken. Append
 *   times rise over all logs, whatever the clock does (`AppendTimes`): they had passed the time
 *   before the last look began. So everything that a later append relies on, and everything that
 *   was acknowledged until then, was in the files when they were read; and anything appended later
 *   has a later time.
 *
 * Segments may be begun and sealed meanwhile. Any other change of the manifest (a log, a trim, a
 * replaced segment, a start) rejects with `SourceChanged`, so the manifest describes the same
 * moment. Damage rejects with `LogBroken`, unless its log is in `broken`: of such a log, sealed
 * segments are taken as they are, and the intact part of others.
 */
export class MomentSearch {
  private readonly parts = new Map<string, GrowingPart>();

  constructor(
    private readonly source: SourceFolder,
    private readonly held: HeldSegments,
    private readonly broken: ReadonlySet<number>,
  ) {}

  /** Takes as many looks as needed. Rejects with `SourceChanged` if it would be too many. */
  async find(): Promise<Moment> {
    const first = await this.look(Number.POSITIVE_INFINITY);
    const time = latestTime(first);
    let before = first;
    for (let looks = 1; looks < examinedMax; looks += 1) {
      const next = await this.look(time);
      if (!isContinued(first.loaded, next.loaded)) throw new SourceChanged('other segments');
      if (before.isPassed || (!next.isPassed && before.ends === next.ends)) return next;
      before = next;
    }
    throw new SourceChanged('it was written to all the time');
  }

  private async look(time: number): Promise<Look> {
    const { disk, directory } = this.source;
    const loaded = await loadManifest(disk, directory);
    if (loaded === null) throw missing(directory.manifest(0), 0);
    const proven = await this.provenEnds(loaded);
    const logs: CopiedLog[] = [];
    let isPassed = false;
    for (const log of loaded.state.logs) {
      const logTag = logTagOf(loaded.storeId, log.id);
      const segments: CopiedSegment[] = [];
      // Newest first: once a segment has begun, all of the one before it can be read.
      for (const entry of log.segments.toReversed()) {
        segments.unshift({ entry, part: await this.partOf(log, logTag, entry, time) });
      }
      const fault = faultIn(segments, proven.get(log.id) ?? null);
      if (fault !== null && !this.broken.has(log.id)) throw new LogBroken(log, fault.damage);
      isPassed ||= segments.some(({ part }) => part?.isPassed === true);
      const copied = segments
        .slice(0, fault === null ? undefined : fault.place + 1)
        .filter(({ part }) => part === null || part.nextOffset !== null);
      logs.push({ log, logTag, segments: copied, cut: fault?.damage ?? null });
    }
    return { loaded, logs, isPassed, ends: endsOf(logs) };
  }

  /** The part of a segment that was read by now; null if the copy has all of it. */
  private async partOf(
    log: ManifestLog,
    logTag: number,
    { number, end, digest }: ManifestSegment,
    time: number,
  ): Promise<GrowingPart | null> {
    const path = this.source.directory.segment(log.id, number);
    if (digest !== null && (end?.lastAppendTime ?? 0) <= time) {
      await this.unlessLost(log, number, end, () => this.held.hold(log.id, number));
      return null;
    }
    const part = this.parts.get(path) ?? new GrowingPart(this.source.disk, path, logTag);
    this.parts.set(path, part);
    await this.unlessLost(log, number, end, () =>
      unlessGone(() => part.readOn(time, end?.end ?? Number.POSITIVE_INFINITY)),
    );
    return part;
  }

  /** Takes a file; if it is gone although the log still lists it, the log is broken. */
  private async unlessLost(
    log: ManifestLog,
    number: number,
    end: ManifestSegment['end'],
    take: () => Promise<void>,
  ): Promise<void> {
    try {
      await take();
    } catch (error) {
      const isGone = error instanceof SourceChanged;
      if (!isGone || !(await this.isListed(log.id, number))) throw error;
      if (this.broken.has(log.id)) return;
      const path = this.source.directory.segment(log.id, number);
      throw new LogBroken(log, missing(path, end?.end ?? 0));
    }
  }

  /** Whether the source still lists the segment: one that is gone may have been replaced. */
  private async isListed(logId: number, number: number): Promise<boolean> {
    const { disk, directory } = this.source;
    const loaded = await loadManifest(disk, directory);
    const log = loaded?.state.logs.find(({ id }) => id === logId);
    return log?.segments.some((segment) => segment.number === number) === true;
  }

  /** By log, how far its growing segment was fdatasynced according to the watermarks. */
  private async provenEnds({ state, storeId }: LoadedManifest): Promise<Map<number, ProvenEnd>> {
    const { disk, directory } = this.source;
    const ends = new Map<number, ProvenEnd>();
    await withFile(disk, directory.watermarks, 'read', (file) => {
      const watermarks = new WatermarkFile(disk, file);
      return watermarks.readingAll(state.logs.length, async () => {
        for (const { id } of state.logs) {
          const mark = await watermarks.read(id, logTagOf(storeId, id));
          if (mark !== null) ends.set(id, { number: mark.segment, end: mark.durablePosition });
        }
      });
    }).catch((error: unknown) => {
      // Watermarks only ever add proof: a store without that file is copied, too.
      if (errorCode(error) !== 'ENOENT') throw error;
    });
    return ends;
  }
}

function missing(file: string, end: number): DamagedData {
  return new DamagedData({ file, from: 0, to: end, lastGoodOffset: null }, 'the file is missing');
}

interface ProvenEnd {
  readonly number: number;
  readonly end: number;
}

/** The first segment that ends before what is known to have been written; null if there is none. */
function faultIn(
  segments: readonly CopiedSegment[],
  proven: ProvenEnd | null,
): { readonly place: number; readonly damage: DamagedData } | null {
  for (const [place, { entry, part }] of segments.entries()) {
    if (part === null || part.isPassed) continue;
    const marked = proven?.number === entry.number ? proven.end : 0;
    const followed = segments[place + 1]?.part?.header?.previousEnd ?? 0;
    const end = Math.max(marked, followed, entry.end?.end ?? 0);
    if (part.end >= end) continue;
    const lastGoodOffset = part.nextOffset === null ? null : part.nextOffset - 1;
    const range = { file: part.path, from: part.end, to: end, lastGoodOffset };
    return { place, damage: new DamagedData(range, 'what was acknowledged is not there') };
  }
  return null;
}

/** Whether segments were begun and sealed since the first look, and nothing else changed. */
function isContinued(first: LoadedManifest, next: LoadedManifest): boolean {
  const isSame = JSON.stringify(identityOf(first)) === JSON.stringify(identityOf(next));
  const numbers = (state: ManifestState) =>
    state.logs.map(({ segments }) => segments.map(({ number }) => number));
  const later = numbers(next.state);
  return (
    isSame &&
    numbers(first.state).every((own, log) =>
      own.every((number, place) => later[log]?.[place] === number),
    )
  );
}

function identityOf({ storeId, state }: LoadedManifest) {
  const logs = state.logs.map(({ id, startOffset, compactedUntil }) => {
    return [id, startOffset, compactedUntil];
  });
  return [storeId.toString('hex'), state.epoch, logs];
}

/** When the last batch of any log was appended. */
function latestTime({ logs }: Moment): number {
  const times = logs.flatMap(({ segments }) =>
    segments.map(({ entry, part }) => part?.latestTime ?? entry.end?.lastAppendTime ?? 0),
  );
  return times.reduce((one, two) => Math.max(one, two), 0);
}

/** The ends of all logs, as a text to compare. */
function endsOf(logs: readonly CopiedLog[]): string {
  const ends = logs.map(({ segments }): Offset | null => {
    const last = segments.at(-1);
    return last?.part?.nextOffset ?? last?.entry.end?.nextOffset ?? null;
  });
  return ends.join();
}
