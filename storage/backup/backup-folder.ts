/** A copy of a data folder that is in use, as a crash of its store at one moment would leave it. */
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

/** What of a log is not in the copy, because it is damaged in the source. */
export interface LostPart {
  readonly log: string;
  /** The first offset that cannot be read. */
  readonly from: Offset;
  /** Reading goes on here; null: the rest of the log is not there. */
  readonly until: Offset | null;
}

/** What was copied. */
export interface BackupReport {
  /** Hexadecimal: the same for all copies of one store. */
  readonly storeId: string;
  /** Of the last start of the source. */
  readonly epoch: number;
  readonly logs: number;
  readonly segments: number;
  /** Bytes of files that the copy shares with the source. */
  readonly linkedBytes: number;
  readonly copiedBytes: number;
  /** By the name of a log: the offset behind its last record. */
  readonly until: ReadonlyMap<string, Offset>;
  /** Empty: nothing is damaged. */
  readonly lost: readonly LostPart[];
  /** What was found to be damaged, in words; paths are those within the folder. */
  readonly damages: readonly string[];
}

/** How far a copy is. */
export interface CopyProgress {
  readonly doing: 'copying' | 'verifying';
  /** Bytes of the segments that were verified; 0 of 0 while they are copied. */
  readonly bytes: number;
  readonly bytesTotal: number;
}

/** How a folder is copied. */
export interface CopySettings {
  /** False: every file is copied, and none shared with the source. */
  readonly sharesFiles?: boolean;
  /** How many offsets a log leaves out behind its end: the source may have given them out. */
  readonly skippedOffsets?: (logName: string) => number;
  /** Which logs are not in the copy, nor in what is reported of it. */
  readonly leavesOut?: (logName: string) => boolean;
  /** Files that stand beside the logs of the copy: their names, and what is in them. */
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
 * There is one moment for all logs: what was acknowledged before it is in the copy, what was
 * appended after it is not. So where a record is in the copy, everything is there that was durable
 * in any log before that record was appended; see `MomentSearch` for how it is found. Of what was
 * on its way at the moment any part may be there: nothing could rely on it yet.
 *
 * Sealed segments get a second name where the disk can do that, and share their bytes with the
 * source then: what damages one damages both. The rest is copied. The copy lies aside (`CopyPlace`)
 * until it is whole and durable; what an earlier one has left there is removed.
 *
 * A log that lives with damage (`isolatesDamage`) is copied with what of it is intact; the report
 * says what is not.
 *
 * Rejects with `FolderNotEmpty`, `CopyUnderWay`, `KeepsChanging`, `DamagedData` (of a log that
 * does not live with it), `DiskFull` or `DiskFailure`; nothing is left in `to` then.
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
 * Removes what a copy to `to` has left whose process was killed, unless one is being made there;
 * `beside` are the names of the files that stand beside its logs. Rejects with `FolderNotEmpty`
 * where there is anything else in it, or as the disk does.
 */
export function removeUnfinished(disk: Disk, to: string, beside: readonly string[]): Promise<void> {
  return CopyPlace.removeUnfinished(disk, to, (folder) => emptyFolder(disk, folder, beside));
}

class Backup {
  private readonly held: HeldSegments;
  /** Logs that are damaged, and live with it. */
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

  /** What is in the write-ahead log alone would be missing from the copy. */
  private async requireReplayed(): Promise<void> {
    const { disk, directory } = this.source;
    const look = async () => {
      const loaded = await loadManifest(disk, directory);
      if (loaded === null) return;
      await requireInFiles({ disk, directory }, loaded.state);
    };
    // A server that has stopped meanwhile has taken the log with it.
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

  /** Throws damage of anything but a log that lives with it. */
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

  /** Begins again where the source has changed, with all that is there already. */
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

  /** What does not pass is thrown, unless it is damage of a log that lives with it. */
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
    // A log that has had a segment has its directory, even if none of it belongs into the copy.
    const begun = logs.filter(({ log }) => log.nextNumber > 0).map(({ log }) => log.id);
    await this.held.keepOnly(listed, begun);
  }
}

/** Whether to begin again: what is being written may look damaged. */
function mayPass(error: unknown): boolean {
  return (
    error instanceof SourceChanged || error instanceof LogBroken || error instanceof DamagedData
  );
}
