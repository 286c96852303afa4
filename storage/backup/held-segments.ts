/**
 * The segments in a copy. Sealed segments never change, so a second name (link) is enough if the
 * disk supports that.
 */
import { dirname } from 'node:path';
import type { StoreDirectory } from '../disk/store-directory.js';
import { aroundUnreadable } from '../disk/unreadable-pages.js';
import { withFile } from '../disk/whole-file.js';
import { errorCode } from '../faults/storage-errors.js';
import { copyBytes, type GrowingPart } from './growing-part.js';
import { SourceChanged, type SourceFolder, unlessGone } from './source.js';

/** Errors of a link: another file system, one without links, or too many links. */
const unlinkable = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

interface HeldFile {
  readonly byteLength: number;
  readonly isLinked: boolean;
}

/**
 * One per backup; only this class writes segments to the target. If the source has removed a
 * segment since its manifest was read, it rejects with `SourceChanged`, and the backup looks at the
 * source again.
 */
export class HeldSegments {
  private readonly files = new Map<string, HeldFile>();
  private readonly made = new Set<number>();
  private readonly parts = new Set<string>();

  /** Without `sharesFiles` every file is copied. */
  constructor(
    private readonly source: SourceFolder,
    private readonly target: StoreDirectory,
    private readonly sharesFiles: boolean,
  ) {}

  /** Bytes that the copy shares with the source. */
  get linkedBytes(): number {
    return this.bytes(true);
  }

  /** Bytes of sealed segments that were copied. */
  get copiedBytes(): number {
    return this.bytes(false);
  }

  /** Copies the part of a segment that was read. */
  async copyPart(logId: number, number: number, part: GrowingPart): Promise<void> {
    await this.makeLog(logId);
    const path = this.target.segment(logId, number);
    this.parts.add(path);
    await unlessGone(() => part.copyTo(path));
  }

  /** Removes copied parts of segments that may have been sealed or replaced by now. */
  async dropParts(): Promise<void> {
    for (const path of this.parts) await this.source.disk.remove(path).catch(() => undefined);
    this.parts.clear();
  }

  /** Creates the directory of a log, if need be. */
  private async makeLog(logId: number): Promise<void> {
    if (this.made.has(logId)) return;
    await this.source.disk.makeDirectory(this.target.log(logId));
    this.made.add(logId);
  }

  /** Adds a segment and the files beside it, if they exist, unless the copy has it already. */
  async hold(logId: number, number: number): Promise<void> {
    const { source, target } = this;
    const path = target.segment(logId, number);
    if (this.files.has(path)) return;
    await this.makeLog(logId);
    await this.take(source.directory.segment(logId, number), path);
    await this.takeIfThere(source.directory.index(logId, number), target.index(logId, number));
    await this.takeIfThere(source.directory.pruned(logId, number), target.pruned(logId, number));
  }

  /**
   * Copies the chain of a log, which has an entry for each sealed segment. It may have entries for
   * segments sealed too late for the copy.
   */
  async copyChain(logId: number): Promise<void> {
    const { disk, directory } = this.source;
    if (!this.made.has(logId)) return;
    const path = this.target.chain(logId);
    this.parts.add(path);
    try {
      await withFile(disk, directory.chain(logId), 'read', async (file) =>
        copyBytes(disk, file, path, await disk.size(file)),
      );
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  /**
   * Removes all segments that are not listed, which were copied for an earlier state of the source,
   * and creates the directories of `logIds`.
   */
  async keepOnly(
    listed: readonly { readonly logId: number; readonly number: number }[],
    logIds: readonly number[],
  ): Promise<void> {
    const { source, target } = this;
    const kept = new Set(
      listed.flatMap(({ logId, number }) => [
        target.segment(logId, number),
        target.index(logId, number),
        target.pruned(logId, number),
      ]),
    );
    for (const path of [...this.files.keys()].filter((file) => !kept.has(file))) {
      await source.disk.remove(path);
      this.files.delete(path);
    }
    const used = new Set(logIds.map((logId) => target.log(logId)));
    for (const logId of logIds) await this.makeLog(logId);
    for (const logId of [...this.made]) {
      const path = target.log(logId);
      if (used.has(path)) await source.disk.syncDirectory(path);
      else {
        await source.disk.removeDirectory(path);
        this.made.delete(logId);
      }
    }
    await source.disk.syncDirectory(dirname(target.log(0)));
  }

  private async takeIfThere(from: string, to: string): Promise<void> {
    await this.take(from, to).catch((error: unknown) => {
      if (!(error instanceof SourceChanged)) throw error;
    });
  }

  private async take(from: string, to: string): Promise<void> {
    const { disk } = this.source;
    const isLinked = this.sharesFiles && (await unlessGone(() => this.link(from, to)));
    if (!isLinked) {
      // The copy is verified afterwards, which finds unreadable pages as it would in a linked file.
      const around = aroundUnreadable(disk, () => undefined);
      await unlessGone(() =>
        withFile(around, from, 'read', async (file) =>
          copyBytes(around, file, to, await disk.size(file)),
        ),
      );
    }
    this.files.set(to, { byteLength: await disk.sizeAt(to), isLinked });
  }

  private async link(from: string, to: string): Promise<boolean> {
    try {
      await this.source.disk.link(from, to);
      return true;
    } catch (error) {
      if (unlinkable.has(errorCode(error))) return false;
      throw error;
    }
  }

  private bytes(areLinked: boolean): number {
    const files = [...this.files.values()].filter(({ isLinked }) => isLinked === areLinked);
    return files.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
}
