/** A copy of a data folder that is in use, as a crash of its store at one moment would leave it. */
import { basename, dirname, join } from 'node:path';
import type { Disk } from '../disk/disk.js';
import { StoreDirectory } from '../disk/store-directory.js';
import { DamagedData, diskError, FolderNotEmpty, KeepsChanging } from '../faults/storage-errors.js';
import type { Offset } from '../offsets/offset.js';
import type { StoreOptions } from '../recovery/store-options.js';
import { verifyStore } from '../verify/verify-store.js';
import {
  isThere,
  makeFolder,
  removeFolder,
  writeManifest,
  writeWatermarks,
} from './copied-folder.js';
import { HeldSegments } from './held-segments.js';
import { type Moment, MomentSearch } from './moment.js';
import { SourceChanged, type SourceFolder } from './source.js';

/** How often a copy is begun again because the source has changed. */
const beginningsMax = 20;

/** What was copied. */
export interface BackupReport {
  readonly logs: number;
  readonly segments: number;
  /** Bytes of files that the copy shares with the source. */
  readonly linkedBytes: number;
  readonly copiedBytes: number;
  /** By the name of a log: the offset behind its last record. */
  readonly until: ReadonlyMap<string, Offset>;
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
 * source then: what damages one damages both. The rest is copied. The copy has another name, `to`
 * with `.partial` behind it, until it is whole and durable; what an earlier one has left there is
 * removed.
 *
 * Rejects with `FolderNotEmpty`, `KeepsChanging`, `DamagedData` (the source is damaged, also in a
 * log that lives with it), `DiskFull` or `DiskFailure`; nothing is left in `to` then.
 */
export async function backupFolder(
  disk: Disk,
  from: string,
  to: string,
  options: StoreOptions,
): Promise<BackupReport> {
  const parent = dirname(to);
  const path = join(parent, basename(to));
  const aside = new StoreDirectory(`${path}.partial`);
  let made = aside;
  try {
    const isMade = await isThere(disk, path);
    if (isMade && (await disk.list(path)).length > 0) throw new FolderNotEmpty(path);
    await removeFolder(disk, aside);
    const report = await new Backup({ disk, directory: new StoreDirectory(from) }, aside).run(
      options,
    );
    if (isMade) await disk.removeDirectory(path);
    await disk.rename(aside.path, path);
    made = new StoreDirectory(path);
    await disk.syncDirectory(parent);
    return report;
  } catch (error) {
    if (!(error instanceof FolderNotEmpty)) {
      await removeFolder(disk, made).catch(() => undefined);
    }
    throw diskError(`copying ${from}`, error);
  }
}

class Backup {
  private readonly held: HeldSegments;

  constructor(
    private readonly source: SourceFolder,
    private readonly target: StoreDirectory,
  ) {
    this.held = new HeldSegments(source, target);
  }

  async run(options: StoreOptions): Promise<BackupReport> {
    const { source, target, held } = this;
    const { disk } = source;
    await makeFolder(disk, target);
    const moment = await this.copySegments();
    await writeWatermarks(disk, target, moment);
    await writeManifest(disk, target, moment);
    const { logs, damages } = await verifyStore(disk, target.path, { ...options, readOnly: true });
    if (damages[0] !== undefined) throw damages[0];
    const segments = moment.logs.flatMap((log) => log.segments);
    return {
      logs: logs.length,
      segments: segments.length,
      linkedBytes: held.linkedBytes,
      copiedBytes: segments.reduce((sum, { part }) => sum + (part?.end ?? 0), held.copiedBytes),
      until: new Map(logs.map(({ name, endOffset }) => [name, endOffset])),
    };
  }

  /** Begins again where the source has changed, with all that is there already. */
  private async copySegments(): Promise<Moment> {
    for (let beginnings = 1; ; beginnings += 1) {
      await this.held.dropParts();
      try {
        const moment = await new MomentSearch(this.source, this.held).find();
        await this.copyParts(moment);
        return moment;
      } catch (error) {
        // What is being written may look damaged.
        const mayPass = error instanceof SourceChanged || error instanceof DamagedData;
        if (!mayPass) throw error;
        if (beginnings < beginningsMax) continue;
        if (error instanceof DamagedData) throw error;
        throw new KeepsChanging(this.source.directory.path, error);
      }
    }
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
    await this.held.keepOnly(listed);
  }
}
