/** Copies a data folder in use: the copy is what a crash of the store at one moment would leave. */
import { join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { StoreDirectory } from '../disk/store-directory.js';
import { DamagedData, diskError, KeepsChanging } from '../faults/storage-errors.js';
import { loadManifest } from '../manifest/manifest-file.js';
import type { Offset } from '../offsets/offset.js';
import { requireInFiles } from '../recovery/replay-wal.js';
import type { StoreOptions } from '../recovery/store-options.js';
import { type Verification, verifyStore } from '../verify/verify-store.js';
import {
  emptyFolder,
  makeFolder,
  writeBeside,
  writeManifest,
  writeWatermarks,
} from './copied-folder.js';
import { CopyPlace } from './copy-place.js';
import { HeldSegments } from './held-segments.js';
import { type Moment, MomentSearch } from './moment.js';
import { LogBroken, SourceChanged, type SourceFolder } from './source.js';

/** How often a copy is begun again because the source has changed. */
const beginningsMax = 20;

/** A part of a log that is not in the copy, because it is damaged in the source. */
export interface LostPart {
  readonly log: string;
  /** The first offset that cannot be read. */
  readonly from: Offset;
  /** The offset where reading continues; null: the rest of the log is missing. */
  readonly until: Offset | null;
}

/** The result of a copy. */
export interface BackupReport {
  /** Hexadecimal: the same for all copies of one store. */
  readonly storeId: string;
  /** The epoch of the last start of the source. */
  readonly epoch: number;
  readonly logs: number;
  readonly segments: number;
  /** Bytes of files that the copy shares with the source. */
  readonly linkedBytes: number;
  readonly copiedBytes: number;
  /** By log name: the offset after its last record. */
  readonly until: ReadonlyMap<string, Offset>;
  /** Empty if nothing is damaged. */
  readonly lost: readonly LostPart[];
  /** A description of each damage; paths are relative to the folder. */
  readonly damages: readonly string[];
}

/** The progress of a copy. */
export interface CopyProgress {
  readonly doing: 'copying' | 'verifying';
  /** Bytes of segments verified so far; both are 0 while copying. */
  readonly bytes: number;
  readonly bytesTotal: number;
}

/** How a folder is copied. */
export interface CopySettings {
  /** False: every file is copied; none is shared with the source. */
  readonly sharesFiles?: boolean;
  /** How many offsets to skip after the end of a log, because the source may have assigned them. */
  readonly skippedOffsets?: (logName: string) => number;
  /** Which logs are left out of the copy and of its report. */
  readonly leavesOut?: (logName: string) => boolean;
  /** Files to write beside the logs of the copy: their names and contents. */
  readonly beside?: {
    readonly names: readonly string[];
    make(report: BackupReport): ReadonlyMap<string, Buffer>;
  };
  onProgress?(progress: CopyProgress): void;
}

/**
 * Copies the store in `from` to `to`, which must be empty or absent, on the same disk; another
 * process, or this one, may have it open and write. No lock is taken and nothing in `from` changes.
 * `options` are for reading the copy, which is verified before this settles.
 *
 * There is one moment for all logs: everything acknowledged before it is in the copy, and nothing
 * appended after it. So if a record is in the copy, everything is there that was durable in any log
 * before that record was appended; `MomentSearch` says how the moment is found. Of appends that
 * were in flight at the moment, any part may be in the copy: nothing could rely on them yet.
 *
 * Sealed segments get a second name (link) if the disk supports that, and then share their bytes
 * with the source: damage to one damages both. The rest is copied. The copy is made aside
 * (`CopyPlace`) until it is complete and durable; leftovers of an earlier one are removed.
 *
 * Of a log that isolates damage (`isolatesDamage`) the intact part is copied; the report says what
 * is missing.
 *
 * Rejects with `FolderNotEmpty`, `CopyUnderWay`, `KeepsChanging`, `DamagedData` (of a log that
 * does not isolate damage), `DiskFull` or `DiskFailure`; nothing is left in `to` then.
 */
export async function backupFolder(
  disk: Disk,
  from: string,
  to: string,
  options: StoreOptions,
  settings: CopySettings = {},
): Promise<BackupReport> {
  const beside = settings.beside?.names ?? [];
  let place: CopyPlace | null = null;
  try {
    place = await CopyPlace.make(disk, to, (folder) => emptyFolder(disk, folder, beside));
    const { aside } = place;
    const source = { disk, directory: new StoreDirectory(from) };
    const report = await new Backup(source, aside, options, settings).run();
    if (settings.beside !== undefined) {
      await writeBeside(disk, aside, settings.beside.make(report));
    }
    await place.finish(beside);
    return report;
  } catch (error) {
    await place?.abandon().catch(() => undefined);
    throw diskError(`copying ${from}`, error);
  }
}

/**
 * Removes what an interrupted copy to `to` has left, unless a copy is being made there; `beside`
 * are the names of the files beside its logs. Rejects with `FolderNotEmpty` if the folder contains
 * anything else, or like the disk.
 */
export function removeUnfinished(disk: Disk, to: string, beside: readonly string[]): Promise<void> {
  return CopyPlace.removeUnfinished(disk, to, (folder) => emptyFolder(disk, folder, beside));
}

class Backup {
  private readonly held: HeldSegments;
  /** Ids of damaged logs that may stay damaged (`isolatesDamage`). */
  private readonly broken = new Set<number>();

  constructor(
    private readonly source: SourceFolder,
    private readonly target: StoreDirectory,
    private readonly options: StoreOptions,
    private readonly settings: CopySettings,
  ) {
    this.held = new HeldSegments(source, target, settings.sharesFiles ?? true);
  }

  async run(): Promise<BackupReport> {
    const { source, target, settings } = this;
    const { disk } = source;
    settings.onProgress?.({ doing: 'copying', bytes: 0, bytesTotal: 0 });
    await makeFolder(disk, target);
    await this.requireReplayed();
    const moment = await this.copySegments();
    await writeWatermarks(disk, target, moment);
    await writeManifest(disk, target, moment, settings.skippedOffsets ?? (() => 0));
    const reading = { ...this.options, readOnly: true };
    const found = await verifyStore(disk, target.path, reading, (progress) =>
      settings.onProgress?.({ doing: 'verifying', ...progress }),
    );
    this.requireLivable(found);
    return this.report(moment, found);
  }

  /** Data that is only in the write-ahead log would be missing from the copy. */
  private async requireReplayed(): Promise<void> {
    const { disk, directory } = this.source;
    const look = async () => {
      const loaded = await loadManifest(disk, directory);
      if (loaded === null) return;
      await requireInFiles({ disk, directory }, loaded.state);
    };
    // If the server stops meanwhile, it removes the write-ahead log.
    await look().catch(look);
  }

  private report(moment: Moment, { logs, damages }: Verification): BackupReport {
    const { held, target, source } = this;
    const segments = moment.logs.flatMap((log) => log.segments);
    const until = new Map(logs.map(({ name, endOffset }) => [name, endOffset]));
    const cuts = moment.logs.flatMap(({ log: { name }, cut }) =>
      cut === null ? [] : [{ name, cut }],
    );
    const within = (message: string) =>
      message
        .replaceAll(join(target.path, '/'), '')
        .replaceAll(join(source.directory.path, '/'), '');
    return {
      storeId: moment.loaded.storeId.toString('hex'),
      epoch: moment.loaded.state.epoch,
      logs: logs.length,
      segments: segments.length,
      linkedBytes: held.linkedBytes,
      copiedBytes: segments.reduce((sum, { part }) => sum + (part?.end ?? 0), held.copiedBytes),
      until,
      lost: [
        ...logs.flatMap(({ name, lost }) => lost.map((range) => ({ log: name, ...range }))),
        ...cuts.map(({ name }) => ({ log: name, from: until.get(name) ?? 0, until: null })),
      ],
      damages: [...damages, ...cuts.map(({ cut }) => cut)].map(({ message }) => within(message)),
    };
  }

  /** Throws damage, unless its log isolates damage. */
  private requireLivable({ logs, damages }: Verification): void {
    const livable = new Set(
      logs.filter(({ name }) => this.isolates(name)).flatMap((log) => log.damages),
    );
    const fatal = damages.find((damage) => !livable.has(damage));
    if (fatal !== undefined) throw fatal;
  }

  private isolates(name: string): boolean {
    return this.options.isolatesDamage?.(name) ?? false;
  }

  /** Begins again if the source has changed, reusing what was copied already. */
  private async copySegments(): Promise<Moment> {
    for (let beginnings = 1; ; beginnings += 1) {
      await this.held.dropParts();
      try {
        const moment = this.wanted(
          await new MomentSearch(this.source, this.held, this.broken).find(),
        );
        await this.copyParts(moment);
        return moment;
      } catch (error) {
        if (beginnings >= beginningsMax) {
          this.liveWith(error);
          beginnings = 0;
        } else if (!mayPass(error)) throw error;
      }
    }
  }

  private wanted({ loaded, logs }: Moment): Moment {
    const { leavesOut = () => false } = this.settings;
    return { loaded, logs: logs.filter(({ log }) => !leavesOut(log.name)) };
  }

  /** Throws a persistent error, unless it is damage of a log that isolates damage. */
  private liveWith(error: unknown): void {
    if (error instanceof SourceChanged) throw new KeepsChanging(this.source.directory.path, error);
    if (!(error instanceof LogBroken)) throw error;
    if (!this.isolates(error.log.name)) throw error.damage;
    this.broken.add(error.log.id);
  }

  private async copyParts({ logs }: Moment): Promise<void> {
    for (const { log, segments } of logs) {
      for (const { entry, part } of segments) {
        if (part !== null) await this.held.copyPart(log.id, entry.number, part);
      }
      await this.held.copyChain(log.id);
    }
    const listed = logs.flatMap(({ log, segments }) =>
      segments.map(({ entry: { number } }) => ({ logId: log.id, number })),
    );
    // A log that has ever had a segment has a directory, even if nothing of it is in the copy.
    const begun = logs.filter(({ log }) => log.nextNumber > 0).map(({ log }) => log.id);
    await this.held.keepOnly(listed, begun);
  }
}

/** Whether to begin again: data that is being written may look damaged. */
function mayPass(error: unknown): boolean {
  return (
    error instanceof SourceChanged || error instanceof LogBroken || error instanceof DamagedData
  );
}
